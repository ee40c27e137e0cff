/** One change of a release. */
export interface ChangelogItem {
  title: string
  description: string
}

/** Reads the lines of a form: each is a change, and indented lines describe the one before. */
export function readItemLines(text: string): ChangelogItem[] {
  const items: ChangelogItem[] = []
  for (const line of text.split(/\r?\n/)) {
    const last = items.at(-1)
    const isNext = /^\S/.test(line) || !last
    if (!isNext) last.description += `\n${line.trim()}`
    else if (line.trim() !== '')
      items.push({ title: line.replace(/^\s*[-*+]\s+/, '').trim(), description: '' })
  }
  return items.map(({ title, description }) => ({ title, description: description.trim() }))
}

export function writeItemLines(items: readonly ChangelogItem[]): string {
  return items
    .map(({ title, description }) => `- ${[title, ...description.split('\n')].join('\n  ')}`.trim())
    .join('\n')
}
