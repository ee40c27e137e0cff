import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import { createBugKey, drawScreenshot, fileTicket, setReporter } from '../../../helpers/bugs.ts'
import { PYTHON } from '../../../helpers/engines/python.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { createTempDir } from '../../../helpers/processes/child.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const DOCS = join(import.meta.dir, '../../../../infra/docs/bugs.md')
const isMissing = Bun.which(PYTHON) === null && process.env.REQUIRE_ENGINES !== '1'

/** Prints what it accepts: the report, the bytes of its screenshot, and the body as received. */
const RECEIVER = `
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = sys.argv[1]

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            report = check_webhook(body, KEY)
            size = 0
            if "screenshot_url" in report:
                check_screenshot_url(report["screenshot_url"], KEY)
                size = len(urllib.request.urlopen(report["screenshot_url"]).read())
            print(json.dumps({"report": report, "size": size, "body": body.decode()}), flush=True)
            self.send_response(204)
        except ValueError as error:
            self.send_response(400, str(error))
        self.end_headers()

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
`

interface Accepted {
  report: { ticket_uid: string; message: string; screenshot_url: string }
  size: number
  body: string
}

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
let recipe: string
const stops: (() => unknown)[] = []
beforeAll(async () => {
  recipe = await readRecipe('python')
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

async function readRecipe(language: 'python' | 'js'): Promise<string> {
  const text = await Bun.file(DOCS).text()
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ''
}

interface Recipe {
  checkWebhook(body: string, signingKey: string): object
  checkScreenshotUrl(url: string, signingKey: string): void
}

async function importRecipe(): Promise<Recipe> {
  const { path, remove } = await createTempDir('recipe')
  stops.push(remove)
  const file = join(path, 'recipe.mjs')
  await Bun.write(file, await readRecipe('js'))
  return (await import(file)) as Recipe
}

async function startReceiver(signingKey: string): Promise<{ url: string; lines: string[] }> {
  const child = Bun.spawn([PYTHON, '-c', recipe + RECEIVER, signingKey], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  stops.push(() => child.kill())
  const lines: string[] = []
  const collect = async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) {
      rest += decoder.decode(bytes, { stream: true })
      const parts = rest.split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    }
  }
  void collect()
  const port = await waitFor('the receiver listens', () => lines.shift())
  return { url: `http://127.0.0.1:${port}/bugs`, lines }
}

describe.skipIf(isMissing)('a receiver in Python, written from the docs', () => {
  test('verifies body and screenshot, and nothing that was changed, is another game’s or has expired', async () => {
    const { uid } = await insertPublicGame(server, owner)
    const { signing_key } = await setReporter(owner, uid)
    const { url, lines } = await startReceiver(signing_key)
    await setReporter(owner, uid, { webhook_urls: [url] })
    const key = await createBugKey(await signUp(server))
    const screenshot = await drawScreenshot()
    const fields = { message: 'Dark: "signature":"x"} 🔦', screenshot, log: 'x' }
    const ticketUid = await fileTicket(server, key, uid, fields)
    const line = await waitFor('the webhook was accepted', () => lines.shift())
    const { report, size, body } = JSON.parse(line) as Accepted
    expect(report).toMatchObject({ ticket_uid: ticketUid, message: fields.message })
    expect(size).toBe(screenshot.size)

    const send = async (to: string, changed: string) =>
      (await fetch(to, { method: 'POST', body: changed })).status
    expect(await send(url, body)).toBe(204)
    expect(await send(url, body.replace('Dark', 'dark'))).toBe(400)
    expect(await send(url, body.replace(',"signature"', ', "signature"'))).toBe(400)
    const other = await insertPublicGame(server, owner)
    const elsewhere = await startReceiver((await setReporter(owner, other.uid)).signing_key)
    expect(await send(elsewhere.url, body)).toBe(400)

    const { checkWebhook, checkScreenshotUrl } = await importRecipe()
    expect(checkWebhook(body, signing_key)).toEqual(report)
    checkScreenshotUrl(report.screenshot_url, signing_key)
    expect(() => checkWebhook(body.replace('Dark', 'dark'), signing_key)).toThrow('wrong')
    expect(() => checkWebhook(body, 'another key')).toThrow('wrong')
    expect(() => checkScreenshotUrl(report.screenshot_url, 'another key')).toThrow('wrong')

    const hmac = (text: string) => new Bun.CryptoHasher('sha1', signing_key).update(text)
    const withLink = (expires: number, signed = expires) => {
      const { origin, pathname } = new URL(report.screenshot_url)
      const signature = encodeURIComponent(hmac(`GET\n\n\n${signed}\n${pathname}`).digest('base64'))
      const link = `${origin}${pathname}?Expires=${expires}&Signature=${signature}`
      const unsigned = JSON.stringify({ ...report, screenshot_url: link })
      return `${unsigned.slice(0, -1)},"signature":"${hmac(unsigned).digest('hex')}"}`
    }
    const now = Math.floor(Date.now() / 1000)
    expect(await send(url, withLink(now + 60))).toBe(204)
    expect(await send(url, withLink(now - 1))).toBe(400)
    expect(await send(url, withLink(now + 60, now + 61))).toBe(400)
  })
})
