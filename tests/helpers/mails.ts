import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { TestServer } from './server.ts'
import { waitFor } from './wait.ts'

type MailFolder = Pick<TestServer, 'dataDir'>

export interface KeptMail {
  to: string
  subject: string
  text: string
  html: string
  /** Where an answer goes; empty when that is the sender. */
  replyTo: string
  /** The first link in the text. */
  link: string
}

/** Reads the mails written by the folder mailer, oldest first: their names grow with time. */
export async function readMails(server: MailFolder): Promise<KeptMail[]> {
  const folder = join(server.dataDir, 'mail')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
  return await Promise.all(names.map(async (name) => parseMail(await readFile(join(folder, name), 'utf8'))))
}

/** Waits for mails, because a job sends them. `skip`: how many such mails came before. */
export async function waitForMail(
  server: MailFolder,
  to: string,
  subject: string,
  skip = 0,
): Promise<KeptMail> {
  return await waitFor(`the mail "${subject}" to ${to}`, async () => {
    const found = (await readMails(server)).filter((mail) => mail.to === to && mail.subject === subject)
    return found[skip]
  })
}

export async function countMails(server: MailFolder, to: string, subject: string): Promise<number> {
  return (await readMails(server)).filter((mail) => mail.to === to && mail.subject === subject).length
}

export function parseMail(source: string): KeptMail {
  const [head, body] = splitHead(source.replaceAll('\r\n', '\n'))
  const parts = readParts(head, body)
  const text = parts.get('text/plain') ?? ''
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? ''
  return {
    to: headerOf(head, 'To'),
    replyTo: headerOf(head, 'Reply-To'),
    subject: headerOf(head, 'Subject'),
    text,
    html: parts.get('text/html') ?? '',
    link,
  }
}

function splitHead(source: string): [head: string, body: string] {
  const [head = '', ...rest] = source.split('\n\n')
  return [head.replaceAll(/\n[ \t]+/g, ' '), rest.join('\n\n')]
}

function headerOf(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
}

/** The decoded bodies by their type. */
function readParts(head: string, body: string): Map<string, string> {
  const type = headerOf(head, 'Content-Type')
  const [, boundary] = /boundary="([^"]+)"/.exec(type) ?? []
  if (boundary === undefined) {
    const encoding = headerOf(head, 'Content-Transfer-Encoding')
    return new Map([[type.split(';')[0] ?? '', decode(body, encoding)]])
  }
  const inner = body.split(`--${boundary}`).slice(1, -1)
  return new Map(inner.flatMap((part) => [...readParts(...splitHead(part.trimStart()))]))
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const joined = body.replaceAll('=\n', '')
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString()
}
