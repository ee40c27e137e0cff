import { renderMarkdown } from '../../lib/text/markdown.ts'
import { Prose } from '../components/prose.tsx'

/** A description of the document. It has no headings of its own, only paragraphs, lists and code. */
export function Markdown({ text, class: extra = '' }: { text: string; class?: string }) {
  return <Prose html={renderMarkdown(text)} under={3} class={extra} />
}
