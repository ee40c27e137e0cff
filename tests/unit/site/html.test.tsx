import { describe, expect, test } from 'bun:test'

import { type ComponentChildren, h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

import { AppError } from '../../../src/errors.ts'
import {
  createContext,
  PAGE_BYTES_MAX,
  renderHtml,
  renderText,
  useContext,
} from '../../../src/site/kit/html.ts'

function Greeting({ name, children }: { name: string; children?: ComponentChildren }) {
  return (
    <p class="greeting">
      Hello, {name}! {children}
    </p>
  )
}

const Nothing = () => null

const pages: Record<string, VNode> = {
  'texts and numbers': (
    <p>
      {'<b>"Fish" & chips</b> > it\'s'} {0} {-1.5} {10n}
    </p>
  ),
  'scripts of the world': <p title="“naïve” — 日本語 & 🎮">Ümläut & 한국어 🎲🎲 &lt; 🎯</p>,
  'a lone surrogate': <p>{'a\ud800b'.toWellFormed()}</p>,
  'what is not shown': (
    <p>
      {null}
      {undefined}
      {false}
      {true}
      {''}
      <Nothing />
    </p>
  ),
  'components, fragments and lists': (
    <>
      <Greeting name="Ada">
        <em>Nice</em> to see you
      </Greeting>
      {['a', ['b', <i key="c">c</i>]]}
    </>
  ),
  'attributes that are there or not': (
    <input type="checkbox" checked={true} disabled={false} required value="" id={undefined} maxLength={8} />
  ),
  'attributes that are words': (
    <details open aria-expanded={false} aria-hidden={true} data-single draggable={false} tabIndex={-1}>
      <summary>More</summary>
    </details>
  ),
  'names of HTML': (
    <form encType="multipart/form-data" autoComplete="off" noValidate>
      <time dateTime="2026-01-01">today</time>
      <button type="button" popovertarget="menu" />
    </form>
  ),
  'names of SVG': (
    <svg viewBox="0 0 8 8" preserveAspectRatio="none" stroke-width="2">
      <path d="M0 0h8" />
    </svg>
  ),
  'empty elements': (
    <div>
      <br />
      <img src="/a.webp?x=1&y=2" alt="" />
      <span />
    </div>
  ),
  markup: <div class="prose" dangerouslySetInnerHTML={{ __html: '<p>“Yes” & no</p>' }} />,
}

describe('pages are rendered as preact does', () => {
  for (const [name, page] of Object.entries(pages))
    test(name, () => expect(renderText(page)).toBe(renderToString(page)))
})

test('the doctype stands in front', () => {
  expect(new TextDecoder().decode(renderHtml(<p>Hi</p>, '<!doctype html>'))).toBe('<!doctype html><p>Hi</p>')
})

describe('a context', () => {
  const Depth = createContext(0)
  const Show = () => <b>{useContext(Depth)}</b>

  test('reaches what is inside of its provider only', () => {
    const page = (
      <p>
        <Show />
        <Depth.Provider value={1}>
          <Show />
          <Depth.Provider value={2}>
            <Show />
          </Depth.Provider>
          <Show />
        </Depth.Provider>
        <Show />
      </p>
    )
    expect(renderText(page)).toBe('<p><b>0</b><b>1</b><b>2</b><b>1</b><b>0</b></p>')
  })

  test('does not reach a page that is rendered meanwhile, or after one that failed', () => {
    const Inner = () => <i dangerouslySetInnerHTML={{ __html: renderText(<Show />) }} />
    const Failing = () => {
      throw new Error('not rendered')
    }
    const around = (child: VNode) => <Depth.Provider value={1}>{child}</Depth.Provider>
    expect(renderText(<p>a{around(<Inner />)}b</p>)).toBe('<p>a<i><b>0</b></i>b</p>')
    expect(() => renderText(around(<Failing />))).toThrow('not rendered')
    expect(renderText(<Show />)).toBe('<b>0</b>')
  })
})

describe('the bound of a page', () => {
  /** A list whose items each repeat the whole list. */
  const renderList = (count: number, length: number) => {
    const values = 'x'.repeat(length)
    return renderText(
      h(
        'ul',
        null,
        Array.from({ length: count }, () => h('a', { href: values }, 'Remove')),
      ),
    )
  }

  test('allows what fits', () => {
    expect(renderList(100, 1000)).toHaveLength(
      '<ul></ul>'.length + 100 * ('<a href="">Remove</a>'.length + 1000),
    )
  })

  test('stops a page over it while it is being written', () => {
    let rendered = 0
    const Item = () => {
      rendered += 1
      return <a href={'x'.repeat(10_000)}>Remove</a>
    }
    const items = Array.from({ length: 100_000 }, (_, index) => <Item key={index} />)
    expect(() => renderText(<ul>{items}</ul>)).toThrow(AppError)
    expect(rendered).toBeLessThan((2 * PAGE_BYTES_MAX) / 10_000)
  })

  test('counts texts, fragments, raw markup and escapes', () => {
    const long = 'x'.repeat(PAGE_BYTES_MAX)
    for (const page of [
      <p>{long}</p>,
      <p dangerouslySetInnerHTML={{ __html: long }} />,
      <p>{['a', long]}</p>,
      <p>{'"'.repeat(PAGE_BYTES_MAX / 4)}</p>,
      <p>{'x'.repeat(64 * PAGE_BYTES_MAX)}</p>,
    ]) {
      expect(() => renderText(page)).toThrow(expect.objectContaining({ status: 500 }))
    }
  })

  test('does not concern the page after it', () => {
    expect(() => renderList(2000, 10_000)).toThrow(AppError)
    expect(renderList(1, 1)).toBe('<ul><a href="x">Remove</a></ul>')
  })
})
