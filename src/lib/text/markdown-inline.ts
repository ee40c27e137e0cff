/** A piece of a paragraph in one style. The text `\n` is a line break. */
export interface Run {
  text: string
  strong: boolean
  em: boolean
  code: boolean
  href: string | null
}

const MARKS = /[\\`*_[\]<>~|]|&(?=[#a-z])/gi
const ADDRESS = /https?:\/\/[^\s<>]*[^\s<>.,;:!?)\]'"*_\\]/gi
const LINE_MARK = /^(?:[#+=-]|\d{1,9}(?=[.)]))/
const EDGE = /^[\s\p{P}]?$/u
const FIRST_SIGN = /^[\p{P}\p{S}]/u
const LAST_SIGN = /[\p{P}\p{S}]$/u

/** Writes the lines of a paragraph as Markdown that shows the same text and nothing else. */
export function writeLines(runs: readonly Run[]): string[] {
  return writeRuns(tidy(runs))
    .split('\n')
    .map((line) => line.trim().replace(LINE_MARK, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`)))
}

/** Collapses spaces, trims lines and merges neighbours of the same style. */
function tidy(runs: readonly Run[]): Run[] {
  const tidied: Run[] = []
  let last = '\n'
  for (const run of runs) {
    const before = tidied.at(-1)
    const isBreak = run.text === '\n'
    if (isBreak && before) before.text = before.text.trimEnd()
    const text = !isBreak && /\s/.test(last) ? run.text.trimStart() : run.text
    if (text === '') continue
    last = text.charAt(text.length - 1)
    if (before && !isBreak && isAlike(before, run)) before.text += text
    else tidied.push({ ...run, text })
  }
  const end = tidied.at(-1)
  if (end) end.text = end.text.trimEnd()
  return tidied.filter(({ text }) => text !== '')
}

function isAlike(a: Run, b: Run): boolean {
  return a.text !== '\n' && a.strong === b.strong && a.em === b.em && a.code === b.code && a.href === b.href
}

function writeRuns(runs: readonly Run[]): string {
  const parts: string[] = []
  for (let at = 0; at < runs.length;) {
    const href = runs[at]?.href ?? null
    let end = at + 1
    while (runs[end] && (runs[end]?.href ?? null) === href) end += 1
    const group = runs.slice(at, end)
    if (href === null) writeGroup(parts, group, runs[end])
    else append(parts, writeLink(group, href))
    at = end
  }
  return parts.join('')
}

function writeLink(group: readonly Run[], href: string): string {
  const parts: string[] = []
  writeGroup(parts, group, undefined)
  const inner = parts.join('')
  const text = inner.trim()
  if (text === '') return inner
  const [lead = '', trail = ''] = inner.split(text, 2)
  return `${lead}[${text}](${href})${trail}`
}

function writeGroup(parts: string[], group: readonly Run[], after: Run | undefined): void {
  for (const [index, run] of group.entries()) {
    append(parts, writeRun(run, lastOf(parts), group[index + 1] ?? after))
  }
}

/** Escapes an exclamation mark before a link, which would make it an image. */
function append(parts: string[], text: string): void {
  if (text.startsWith('[') && lastOf(parts) === '!') parts.push(`${parts.pop()?.slice(0, -1) ?? ''}\\!`)
  if (text !== '') parts.push(text)
}

function lastOf(parts: readonly string[]): string {
  return parts.at(-1)?.at(-1) ?? ''
}

function writeRun(run: Run, last: string, after: Run | undefined): string {
  const core = run.text.trim()
  if (core === '') return run.text
  const [lead = '', trail = ''] = run.text.split(core, 2)
  const [before, next] = [lead || last, trail || (after?.text ?? '')]
  if (run.code && before !== '`') return lead + writeCode(core) + trail
  const stars = `${run.strong ? '**' : ''}${run.em ? '*' : ''}`
  const text = escapeText(core, run.href !== null)
  const marks = stars !== '' && canEmphasize(text, before, next.charAt(0)) ? stars : ''
  return lead + marks + text + marks + trail
}

/**
 * Markdown ignores emphasis between a letter and punctuation; adjacent markers are parsed differently
 * everywhere.
 */
function canEmphasize(text: string, before: string, next: string): boolean {
  if (before === '*') return false
  return (!FIRST_SIGN.test(text) || EDGE.test(before)) && (!LAST_SIGN.test(text.slice(-2)) || EDGE.test(next))
}

function writeCode(text: string): string {
  let fence = '`'
  for (const [ticks] of text.matchAll(/`+/g)) if (ticks.length >= fence.length) fence = `${ticks}\``
  return fence === '`' ? `\`${text}\`` : `${fence} ${text} ${fence}`
}

/** Addresses become links, except inside a link. */
function escapeText(text: string, isLink: boolean): string {
  const parts: string[] = []
  let at = 0
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    append(parts, escapeMarks(text.slice(at, index)))
    append(parts, isLink ? hideAddress(address) : showAddress(address))
    at = index + address.length
  }
  return parts.join('') + escapeMarks(text.slice(at))
}

/** A bare address is linked automatically, unless it contains Markdown syntax. */
function showAddress(address: string): string {
  if (escapeMarks(address) === address) return address
  const target = linkTarget(address)
  return target === null ? hideAddress(address) : `[${hideAddress(address)}](${target})`
}

function hideAddress(address: string): string {
  return escapeMarks(address).replace(':', '\\:')
}

/** Returns a web address in the form a link needs; null for any other text. */
export function linkTarget(address: string): string | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  return url.href.replace(
    /[()<>\\[\]`|]|&(?=#?\w+;)/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function escapeMarks(text: string): string {
  return text.replace(MARKS, '\\$&')
}
