import { CHANGELOG_ITEMS_MAX, ITEM_DESCRIPTION_MAX, TITLE_MAX } from '../../domain/builds/build-fields.ts'
import type { ChangelogItem } from '../../domain/builds/changelog-items.ts'
import { cutAtWord } from '../../lib/text/cut-text.ts'
import { textOfMarkdown } from '../../lib/text/markdown.ts'

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/

/** The list items of the section of this version; null if the text has no such section. */
export function readChangelog(markdown: string, version: string): ChangelogItem[] | null {
  const lines = markdown.split(/\r?\n/)
  const start = lines.findIndex((line) => isHeadingOf(line, version))
  if (start === -1) return null
  const level = HEADING.exec(lines[start] ?? '')?.[1]?.length ?? 1
  const length = lines.slice(start + 1).findIndex((line) => (HEADING.exec(line)?.[1]?.length ?? 7) <= level)
  return readItems(length === -1 ? lines.slice(start + 1) : lines.slice(start + 1, start + 1 + length))
}

/** Text from the command line: its list items, or else its lines. */
export function readChangelogText(text: string): ChangelogItem[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const items = readItems(lines)
  return items.length > 0 ? items : lines.slice(0, CHANGELOG_ITEMS_MAX).map((line) => toItem([line]))
}

function isHeadingOf(line: string, version: string): boolean {
  const text = HEADING.exec(line)?.[2]
  if (text === undefined) return false
  return text.split(/[\s[\](),:]+/).some((word) => word === version || word === `v${version}`)
}

/** Indented lines after an item belong to it; its first line is the title. */
function readItems(lines: readonly string[]): ChangelogItem[] {
  const items: string[][] = []
  for (const line of lines) {
    const first = ITEM.exec(line)?.[1]
    if (first !== undefined) items.push([first])
    else if (/^\s+\S/.test(line)) items.at(-1)?.push(line.trim())
  }
  return items.slice(0, CHANGELOG_ITEMS_MAX).map(toItem)
}

function toItem([first = '', ...rest]: readonly string[]): ChangelogItem {
  const title = textOfMarkdown(first)
  const cut = cutAtWord(title, TITLE_MAX)
  const description = [...(cut === title ? [] : [title]), ...rest].join('\n')
  return { title: cut, description: description.slice(0, ITEM_DESCRIPTION_MAX) }
}
