import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { SMTPServer } from 'smtp-server'

import { openMailer } from '../../../src/clients/mail/open-mailer.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { parseMail, waitForMail } from '../../helpers/mails.ts'
import { signUp } from '../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { waitFor } from '../../helpers/wait.ts'

let connections = 0
const received: { source: string; user: string }[] = []
let smtp: SMTPServer
let smtpUrl: string

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onConnect(_, done) {
      connections += 1
      done()
    },
    onAuth: ({ username, password }, _, done) =>
      password === 'right' ? done(null, { user: username ?? '' }) : done(new Error('Wrong password')),
    onData(stream, session, done) {
      let source = ''
      stream.on('data', (chunk: Buffer) => (source += chunk.toString('utf8')))
      stream.on('end', () => {
        received.push({ source, user: String(session.user) })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const address = smtp.server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  smtpUrl = `smtp://postman:right@127.0.0.1:${port}`
})
afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())))

const log = createLogger({ level: 'silent', pretty: false })

describe('mail', () => {
  test('goes out by SMTP, sent by a job', async () => {
    const server = await startTestServer({
      ROLE: 'all',
      SMTP_URL: smtpUrl,
      MAIL_FROM: 'Shelf <shelf@example.org>',
    })
    const person = await signUp(server)
    const mail = await waitFor('the mail arrived', () =>
      received.find(({ source }) => source.includes(person.email)),
    )
    await server.stop()
    expect(mail.user).toBe('postman')
    expect(mail.source).toContain('From: Shelf <shelf@example.org>')
    expect(parseMail(mail.source)).toMatchObject({ to: person.email, subject: 'Confirm your e-mail address' })
    expect(parseMail(mail.source).link).toStartWith(server.url)
    expect(mail.source).toMatch(/^Content-Type: multipart\/alternative;/m)
    const { html, link } = parseMail(mail.source)
    expect(html.match(/class="button"/g)).toHaveLength(1)
    expect(html).toContain(`href="${Bun.escapeHTML(link)}"`)
    expect(html).toContain('>Confirm your address</a>')
  })

  test('a server that refuses the password is told so', async () => {
    const mailer = openMailer(
      { smtpUrl: smtpUrl.replace('right', 'wrong'), from: 'x@example.org', folder: '' },
      log,
    )
    expect(mailer.check()).rejects.toThrow()
    await mailer.dispose()
  })

  test('a server that answers is fine', async () => {
    const mailer = openMailer({ smtpUrl, from: 'x@example.org', folder: '' }, log)
    await mailer.check()
    await mailer.dispose()
  })

  test('goes out over connections that stay open, and over others when the server has ended those', async () => {
    const mailer = openMailer({ smtpUrl, from: 'x@example.org', folder: '' }, log)
    const send = async () => {
      const messageId = createUid()
      await mailer.send({ to: 'a@example.org', subject: 'One of many', text: 'x', messageId })
      return received.filter(({ source }) => source.includes(messageId)).length
    }
    const before = connections
    for (let sent = 0; sent < 5; sent += 1) expect(await send()).toBe(1)
    expect(connections - before).toBe(1)
    expect(await Promise.all([send(), send(), send()])).toEqual([1, 1, 1])
    expect(connections - before).toBe(3)
    const open = (smtp as SMTPServer & { connections: Set<{ _socket: { destroy(): void } }> }).connections
    for (const { _socket: socket } of open) socket.destroy()
    expect(await Promise.all([send(), send()])).toEqual([1, 1])
    await mailer.dispose()
    await waitFor('the connections are closed', () => open.size === 0)
  })

  test('a header cannot be smuggled in by an address or a subject', async () => {
    const mailer = openMailer({ smtpUrl, from: 'x@example.org', folder: '' }, log)
    const messageId = createUid()
    await mailer.send({ to: 'a@example.org', subject: 'Hi\r\nBcc: evil@example.org', text: 'x', messageId })
    await mailer.dispose()
    const source = received.find((mail) => mail.source.includes(messageId))?.source ?? ''
    expect(source).not.toMatch(/^Bcc:/im)
  })

  test('without SMTP is kept on disk, for its owner only', async () => {
    const server: TestServer = await startTestServer({ ROLE: 'all' })
    const person = await signUp(server)
    const mail = await waitForMail(server, person.email, 'Confirm your e-mail address')
    expect(mail.text).toContain('confirm there that this address is yours')
    expect((await stat(join(server.dataDir, 'mail'))).mode & 0o777).toBe(0o700)
    await server.stop()
  })
})
