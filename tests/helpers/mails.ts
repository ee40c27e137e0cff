import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { TestServer } from './server.ts'
import { waitFor } from './wait.ts'

type MailFolder = Pick<TestServer, 'dataDir'>

export interface KeptMail {
  to: string
  subject: string
  text: string
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
  const [head = '', ...rest] = source.replaceAll('\r\n', '\n').split('\n\n')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? ''
  const raw = rest.join('\n\n')
  const quoted = header('Content-Transfer-Encoding') === 'quoted-printable'
  const text = quoted
    ? raw
        .replaceAll('=\n', '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : raw
  const link = /https?:\/\/\S+/.exec(text)?.[0] ?? ''
  return { to: header('To'), replyTo: header('Reply-To'), subject: header('Subject'), text, link }
}
