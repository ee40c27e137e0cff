import type { ComponentChildren } from 'preact'

interface SampleProps {
  id: string
  title: string
  children: ComponentChildren
}

/** Code with a title, and a button to copy it when there is script. */
export function Sample({ id, title, children }: SampleProps) {
  return (
    <figure class="sample">
      <figcaption>
        {title}
        <button
          type="button"
          class="button plain small with-script"
          data-copies={id}
          aria-label={`Copy: ${title}`}
        >
          Copy
        </button>
      </figcaption>
      <Code id={id}>{children}</Code>
    </figure>
  )
}

/** Code that scrolls inside its own box, also by keyboard. */
export function Code({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <pre id={id} tabIndex={0}>
      <code>{children}</code>
    </pre>
  )
}

const TOKEN =
  /(?<text>"(?:[^"\\]|\\.)*")(?<colon>\s*:)?|(?<word>\b(?:true|false|null)\b)|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

/** Indented JSON with syntax colours. */
export function Json({ value }: { value: unknown }) {
  const json = JSON.stringify(value, null, 2)
  const parts: ComponentChildren[] = []
  let end = 0
  for (const match of json.matchAll(TOKEN)) {
    const { text = match[0], colon = '', word } = match.groups ?? {}
    parts.push(json.slice(end, match.index), <span class={kindOf(text, colon, word)}>{text}</span>, colon)
    end = match.index + match[0].length
  }
  return (
    <>
      {parts}
      {json.slice(end)}
    </>
  )
}

function kindOf(text: string, colon: string, word: string | undefined): string {
  if (text.startsWith('"')) return colon === '' ? 'json-text' : 'json-key'
  return word === undefined ? 'json-number' : 'json-word'
}
