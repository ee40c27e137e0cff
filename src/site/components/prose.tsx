const HEADING = /<(\/?)h([1-6])>/g

interface ProseProps {
  /** Made by `renderMarkdown`: it holds no tag but the renderer's own. */
  html: string
  /** The heading the text stands under. */
  under: 1 | 2 | 3
  class?: string
}

/** What people wrote as Markdown, with headings that continue those of the page. */
export function Prose({ html, under, class: extra = '' }: ProseProps) {
  return <div class={`prose ${extra}`} dangerouslySetInnerHTML={{ __html: nestHeadings(html, under) }} />
}

/** Authors begin at any level and skip some: each heading is at most one level below the one before. */
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
