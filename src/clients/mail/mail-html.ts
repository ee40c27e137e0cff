import type { Palette, ThemeName } from '../../domain/palette.ts'
import { toPrintableLine } from '../../lib/text/characters.ts'
import type { MailNews, NewsGroup, NewsItem } from './mail-news.ts'

/** A picture of the store at its whole address. */
export interface MailPicture {
  url: string
  width: number
  height: number
}

/** The one thing to do. Its address also stands in the text. */
export interface MailButton {
  label: string
  url: string
}

/** What the mails of a store show of it. */
export interface MailStore {
  name: string
  /** An e-mail address, an https:// address or null. */
  contact: string | null
  baseUrl: string
  palettes: Readonly<Record<ThemeName, Palette>>
  /** Instead of the name; for dark backgrounds there can be another one. */
  logo: MailPicture | null
  darkLogo: MailPicture | null
  /** Beside the name. */
  icon: MailPicture | null
}

interface RenderedMail {
  subject: string
  text: string
  button?: MailButton
  news?: MailNews
}

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const LOGO_HEIGHT = 36
const ICON_SIDE = 32

/**
 * The mail as HTML: tables and inline styles, because many programs for mail know nothing else. Those that know themes
 * also get the dark one. Everything is escaped.
 */
export function renderMail({ subject, text, button, news }: RenderedMail, store: MailStore): string {
  const { light, dark } = store.palettes
  const looks = { light, baseUrl: store.baseUrl }
  const paragraphs = text.trimEnd().split('\n\n')
  const signature = paragraphs.pop() ?? ''
  const body = news
    ? writeNews(paragraphs.slice(0, INTRO), news, button, looks)
    : toBlocks(paragraphs, button)
        .map((block) =>
          block.kind === 'button' ? writeButton(block, light) : writeParagraph(block.text, looks),
        )
        .join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(subject)}</title>
<style>
${writeDark(dark)}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:${light.page};color:${light.ink};${FONT}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="page" style="background:${light.page}">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px">
<tr><td style="padding:0 8px 16px">${writeBrand(store, light)}</td></tr>
<tr><td class="card" style="padding:28px 28px 20px;background:${light.raised};border:1px solid ${light.line};border-radius:14px">
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.25;color:${light.ink}" dir="auto">${escape(subject)}</h1>
${body}
</td></tr>
<tr><td class="quiet" style="padding:16px 8px;font-size:13px;line-height:1.5;color:${light.quiet}">${writeLines(signature, looks)}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

/** The greeting and the paragraph before the news. */
const INTRO = 2

interface Looks {
  light: Palette
  baseUrl: string
}

function writeNews(
  intro: readonly string[],
  { groups, more, settingsUrl, ends }: MailNews,
  button: MailButton | undefined,
  looks: Looks,
): string {
  const { light } = looks
  return [
    ...intro.map((text) => writeParagraph(text, looks)),
    ...groups.map((group) => writeGroup(group, light)),
    ...(more === null ? [] : [writeParagraph(more, looks)]),
    ...(button ? [writeButton(button, light)] : []),
    writeEnds({ settingsUrl, ends }, light),
  ].join('\n')
}

function writeGroup({ name, url, items }: NewsGroup, light: Palette): string {
  const heading = url === null ? escape(name) : writeLink(url, name, 'ink', light.ink)
  return `<h2 class="ink" style="margin:20px 0 8px;font-size:17px;line-height:1.3;color:${light.ink};overflow-wrap:anywhere" dir="auto">${heading}</h2>
${items.map((item) => writeItem(item, light)).join('\n')}`
}

function writeItem({ label, title, text, url }: NewsItem, light: Palette): string {
  const quiet = `color:${light.quiet}`
  const more =
    text === null
      ? ''
      : `<br><span class="quiet" dir="auto" style="font-size:14px;${quiet}">${escape(text)}</span>`
  return `<p style="margin:0 0 12px;font-size:16px;line-height:1.45;overflow-wrap:anywhere"><span class="quiet" style="font-size:13px;${quiet}">${escape(label)}</span><br>${writeLink(url, title, 'link', light.accent)}${more}</p>`
}

function writeEnds({ settingsUrl, ends }: Pick<MailNews, 'settingsUrl' | 'ends'>, light: Palette): string {
  const link = (url: string, text: string) => writeLink(url, text, 'quiet', light.quiet)
  const kinds = ends.map(({ name, url }) => link(url, name)).join(' · ')
  return `<p class="quiet rule" style="margin:8px 0 0;padding:14px 0 0;border-top:1px solid ${light.line};font-size:13px;line-height:1.6;color:${light.quiet}">No more mails about: ${kinds}<br>${link(settingsUrl, 'Choose what is mailed, and when')}</p>`
}

function writeLink(url: string, text: string, look: string, color: string): string {
  return `<a class="${look}" href="${escape(url)}" style="color:${color}" dir="auto">${escape(text)}</a>`
}

type Block = { kind: 'text'; text: string } | { kind: 'button'; label: string; url: string }

/** The first paragraph that ends in the address of the button ends in the button instead. */
function toBlocks(paragraphs: readonly string[], button: MailButton | undefined): Block[] {
  if (!button) return paragraphs.map((text) => ({ kind: 'text', text }))
  const { label, url } = button
  const at = paragraphs.findIndex((text) => text === url || text.endsWith(` ${url}`))
  return paragraphs.flatMap((text, index): Block[] => {
    if (index !== at) return [{ kind: 'text', text }]
    const before = text.slice(0, -url.length).trimEnd()
    const isSaid = before === '' || before === `${label}:`
    return [...(isSaid ? [] : [{ kind: 'text' as const, text: before }]), { kind: 'button', label, url }]
  })
}

function writeParagraph(text: string, looks: Looks): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.55;overflow-wrap:anywhere" dir="auto">${writeLines(text, looks)}</p>`
}

function writeButton({ label, url }: { label: string; url: string }, light: Palette): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:4px 0 20px"><tr><td class="button" style="border-radius:10px;background:${light.accent}"><a class="button-text" href="${escape(url)}" style="display:inline-block;padding:12px 20px;font-size:16px;font-weight:600;color:${light['accent-ink']};text-decoration:none">${escape(label)}</a></td></tr></table>`
}

function writeLines(text: string, looks: Looks): string {
  return text
    .split('\n')
    .map((line) => writeLine(line, looks))
    .join('<br>')
}

/** Only addresses of the store itself become links: the others are what people wrote. */
function writeLine(line: string, { light, baseUrl }: Looks): string {
  return line
    .split(/(https?:\/\/\S+)/)
    .map((part) => {
      const url = part.replace(/[.,;:!?)]+$/, '')
      if (url !== baseUrl && !url.startsWith(`${baseUrl}/`)) return escape(part)
      return writeLink(url, url, 'link', light.accent) + escape(part.slice(url.length))
    })
    .join('')
}

function writeBrand({ name, baseUrl, logo, darkLogo, icon }: MailStore, light: Palette): string {
  const link = (inside: string) =>
    `<a class="ink" href="${escape(baseUrl)}" style="font-size:18px;font-weight:700;color:${light.ink};text-decoration:none">${inside}</a>`
  const one = logo ?? darkLogo
  if (!one) return link(`${icon ? writePicture(icon, ICON_SIDE, '', '') : ''}${escape(name)}`)
  if (!logo || !darkLogo) return link(writePicture(one, LOGO_HEIGHT, name, ''))
  return link(
    writePicture(logo, LOGO_HEIGHT, name, 'on-light') + writePicture(darkLogo, LOGO_HEIGHT, name, 'on-dark'),
  )
}

function writePicture({ url, width, height }: MailPicture, shown: number, alt: string, look: string): string {
  const wide = Math.round((width / height) * shown)
  const hidden = look === 'on-dark' ? 'display:none;' : ''
  return `<img class="${look}" src="${escape(url)}" width="${wide}" height="${shown}" alt="${escape(alt)}" style="${hidden}border:0;vertical-align:middle;margin-right:8px">`
}

/** Inline styles have the light theme; these take over where mail programs know themes. */
function writeDark(dark: Palette): string {
  return `@media (prefers-color-scheme: dark) {
.page { background: ${dark.page} !important; color: ${dark.ink} !important }
.card { background: ${dark.raised} !important; border-color: ${dark.line} !important }
.ink { color: ${dark.ink} !important }
.quiet { color: ${dark.quiet} !important }
.rule { border-color: ${dark.line} !important }
.link { color: ${dark.accent} !important }
.button { background: ${dark.accent} !important }
.button-text { color: ${dark['accent-ink']} !important }
.on-light { display: none !important }
.on-dark { display: inline !important }
}`
}

function escape(text: string): string {
  return Bun.escapeHTML(toPrintableLine(text))
}
