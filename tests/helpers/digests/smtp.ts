import { SMTPServer } from 'smtp-server'

import { type KeptMail, parseMail } from '../mails.ts'

export interface ReceivedMail extends KeptMail {
  /** As it was sent, headers and all. */
  source: string
}

/** What the server says to a recipient: null for yes. */
type Judge = (email: string) => { code: number; when: 'recipient' | 'data' | 'cut' } | null

export interface TestSmtp extends AsyncDisposable {
  url: string
  /** All mails, in the order they arrived. */
  mails: readonly ReceivedMail[]
  mailsTo(email: string): ReceivedMail[]
  /** Changes what the server answers. */
  judge: Judge
  /** How long it takes over each mail. */
  delayMs: number
}

/** A mail server that keeps what it gets, on a free port. */
export async function startSmtp(port = 0): Promise<TestSmtp> {
  const mails: ReceivedMail[] = []
  const refusal = (code: number) => Object.assign(new Error('Refused'), { responseCode: code })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _, done) {
      const verdict = smtp.judge(address)
      done(verdict?.when === 'recipient' ? refusal(verdict.code) : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString('utf8')
        const verdict = smtp.judge(session.envelope.rcptTo[0]?.address ?? '')
        if (verdict?.when === 'data') return done(refusal(verdict.code))
        mails.push({ ...parseMail(source), source })
        const answer = () => {
          if (verdict?.when === 'cut') server.connections.forEach(({ _socket: socket }) => socket.destroy())
          else done()
        }
        setTimeout(answer, smtp.delayMs)
      })
    },
  }) as SMTPServer & { connections: Set<{ _socket: { destroy(): void } }> }
  // Of clients that were killed.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address()
  const bound = address && typeof address === 'object' ? address.port : port
  const smtp: TestSmtp = {
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    mailsTo: (email) => mails.filter(({ to }) => to === email),
    judge: () => null,
    delayMs: 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return smtp
}
