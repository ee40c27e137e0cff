/** The limits of a build's registration, for the server and for `shelf.json`. */
export const BUILD_TYPE_DEFAULT = 'game'
export const VERSION_MAX = 32
export const TITLE_MAX = 255
export const CHANGELOG_ITEMS_MAX = 100
export const BUILD_TYPE_MAX = 64
export const ENGINE_VERSION_MAX = 64
export const APP_NAME_MAX = 80
export const DESCRIPTION_MAX = 8000
export const ITEM_DESCRIPTION_MAX = 2000

/** One change of a release. */
export interface ChangelogItem {
  title: string
  description: string
}

/** Reads the lines of a form: each is a change, and indented lines describe the one before. */
export function parseItemLines(text: string): ChangelogItem[] {
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
