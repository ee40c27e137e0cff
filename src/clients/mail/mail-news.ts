/** One thing that happened. */
export interface NewsItem {
  /** What kind of thing it is. */
  label: string
  title: string
  text: string | null
  url: string
}

export interface NewsGroup {
  name: string
  url: string | null
  items: readonly NewsItem[]
}

/** What a mail tells in groups, and how to end mails like it. */
export interface MailNews {
  groups: readonly NewsGroup[]
  /** What was left out. */
  more: string | null
  settingsUrl: string
  /** For each kind in the mail, the address that ends it. */
  ends: readonly { name: string; url: string }[]
}

/** The news as plain text. */
export function newsParagraphs(
  { groups, more, settingsUrl, ends }: MailNews,
  button: { label: string; url: string },
): string[] {
  return [
    ...groups.map(({ name, items }) => [name, ...items.map(writeItem)].join('\n')),
    ...(more === null ? [] : [more]),
    `${button.label}: ${button.url}`,
    ['No more mails about:', ...ends.map(({ name, url }) => `${name}: ${url}`)].join('\n'),
    `Choose what is mailed, and when: ${settingsUrl}`,
  ]
}

function writeItem({ label, title, text, url }: NewsItem): string {
  return [`* ${label}: ${title}`, ...(text === null ? [] : [`  ${text}`]), `  ${url}`].join('\n')
}
