import { expect, test } from 'bun:test'

import type { Frame } from 'playwright-core'

import { SNIPPETS } from '../../src/site/studio/saves/snippets.ts'
import { describeInBrowser } from '../helpers/site/use-browser.ts'
import { play, read, useWebSaves } from '../helpers/site/web-saves.ts'

const textOf = (id: string) => SNIPPETS.find((snippet) => snippet.id === id)?.text ?? ''
/** What an engine would have to quote. */
const HARD = 'level "3"\n100 % \\ ü\u2028'

/** A string literal of the snippet, unescaped. */
const literal = (text: string) => JSON.parse(`"${text.replaceAll(/\\?"/g, '\\"')}"`) as string

interface Engine {
  read(slot: string): string
  write(slot: string, text: string): string
}

/** Formats as Godot does: each %s is the next value. */
function godot(): Engine {
  const text = textOf('godot')
  const format = (code: string, ...values: string[]) => {
    const left = [...values]
    return code.replaceAll('%s', () => JSON.stringify(left.shift()))
  }
  const [, reading = ''] = /_call\("(read.+)" % /.exec(text) ?? []
  const [, writing = ''] = /_call\("(write.+)" % /.exec(text) ?? []
  const [, calling = ''] = /eval\("(.+)" % code\)/.exec(text) ?? []
  const call = (code: string) => literal(calling).replace('%s', () => code)
  return {
    read: (slot) => call(format(literal(reading), slot)),
    write: (slot, value) => call(format(literal(writing), slot, value)),
  }
}

/** Joins as Lua does. */
function defold(): Engine {
  const text = textOf('defold')
  const [, before = '', after = ''] = /html5\.run\("(import.+)" \.\. code \.\. "(.+)"\)/.exec(text) ?? []
  const joined = (name: string, value: string[]) => {
    const [, start = '', end = ''] =
      new RegExp(`run\\("(${name}.+)" \\.\\. json\\.encode\\({.+?}\\) \\.\\. "(.+)"\\)`).exec(text) ?? []
    return before + start + JSON.stringify(value) + end + after
  }
  return {
    read: (slot) => `globalThis.foundSave = '';${joined('read', [slot])}`,
    write: (slot, value) => joined('write', [slot, value]),
  }
}

describeInBrowser('the texts that developers copy', () => {
  const store = useWebSaves()

  const withGame = (use: (frame: Frame) => Promise<void>) =>
    store.withBrowser(async (context) => use((await play(context, await store.publish())).frame))

  test('plain JavaScript', async () => {
    const [, code = ''] = /<script type="module">(.+)<\/script>/s.exec(textOf('javascript')) ?? []
    await withGame(async (frame) => {
      for (const level of [2, 3]) {
        await frame.evaluate(`(async () => {${code}})()`)
        expect(await read(frame, 'main')).toBe(JSON.stringify({ level }))
      }
    })
  })

  test.each([
    ['Godot', godot(), 'globalThis.heard'],
    ['Defold', defold(), 'globalThis.foundSave?.slice(1)'],
  ] as const)('%s', async (_, engine, heard) => {
    await withGame(async (frame) => {
      await frame.evaluate('void (globalThis.hearSave = (text) => { globalThis.heard = text ?? "none" })')
      await frame.evaluate(`void (() => {${engine.read('main')}})()`)
      await frame.waitForFunction("globalThis.heard === 'none' || globalThis.foundSave === '-'")
      await frame.evaluate(engine.write('main', HARD))
      expect(await read(frame, 'main')).toBe(HARD)
      await frame.evaluate(`void (() => {${engine.read('main')}})()`)
      await frame.waitForFunction(`${heard} === ${JSON.stringify(HARD)}`)
    })
  })

  test('Unity', async () => {
    await withGame(async (frame) => {
      await frame.evaluate(`void (() => {
        const [LibraryManager, UTF8ToString] = [{ library: {} }, (text) => text]
        const SendMessage = (...sent) => { globalThis.sent = sent.join('|') }
        const mergeInto = (_, functions) => Object.assign(globalThis, functions)
        ${textOf('unity')}
      })()`)
      await frame.evaluate("void SavesRead('main', 'Game')")
      await frame.waitForFunction("globalThis.sent === 'Game|OnSave|'")
      await frame.evaluate(`void SavesWrite('main', ${JSON.stringify(HARD)})`)
      await frame.evaluate("void SavesRead('main', 'Game')")
      await frame.waitForFunction(`globalThis.sent === ${JSON.stringify(`Game|OnSave|${HARD}`)}`)
    })
  })
})
