const HEADING = /<(\/?)h([1-6])>/g

interface ProseProps {
  /** The output of `renderMarkdown`, which contains only the renderer's own tags. */
  html: string
  /** The level of the heading above the text. */
  under: 1 | 2 | 3
  class?: string
  /** Where the language of the text is known. */
  lang?: string | undefined
}

/** Rendered Markdown, with headings that continue those of the page. */
export function Prose({ html, under, class: extra = '', lang }: ProseProps) {
  const text = nestHeadings(html, under)
  return (
    <div class={`prose ${extra}`} {...{ dir: 'auto', lang }} dangerouslySetInnerHTML={{ __html: text }} />
  )
}

/**
 * Authors start at any level and skip some: each heading becomes at most one level below the previous one.
 */
export function nestHeadings(html: string, under: number): string {
  const levels = [...html.matchAll(HEADING)].map(([, , level]) => Number(level))
  const used = [...new Set(levels)].sort((a, b) => a - b)
  let last = under
  return html.replace(HEADING, (_, slash: string, level: string) => {
    if (slash) return `</h${last}>`
    last = Math.min(under + 1 + used.indexOf(Number(level)), last + 1, 6)
    return `<h${last}>`
  })
}
