import { report } from '../../helpers/bugs.ts'
import { makeZip } from '../../helpers/files/zips.ts'
import { readData } from '../../helpers/json.ts'
import { waitFor } from '../../helpers/wait.ts'
import type { WebhookReceiver } from '../../helpers/webhook-receiver.ts'
import type { Target } from './target.ts'
import { zipForm } from './zips.ts'

export interface PublisherReport {
  /** Milliseconds from the end of an upload to its verdict. */
  scans: number[]
  /** Milliseconds from a filed report to its webhook. */
  webhooks: number[]
  failures: string[]
}

/** Below the uploads that one game may send in a minute. */
const PAUSE_MS = 1500

/** An honest developer who uploads builds and receives bug reports; each must be handled soon. */
export async function publish(
  target: Target,
  receiver: WebhookReceiver,
  seconds: number,
): Promise<PublisherReport> {
  const result: PublisherReport = { scans: [], webhooks: [], failures: [] }
  const end = performance.now() + seconds * 1000
  for (let number = 0; performance.now() < end; number += 1) {
    try {
      result.scans.push(await timeScan(target, number))
      result.webhooks.push(await timeWebhook(target, receiver))
    } catch (error) {
      result.failures.push(error instanceof Error ? error.message : 'failed')
    }
    await Bun.sleep(PAUSE_MS)
  }
  return result
}

async function timeScan({ url, developer }: Target, number: number): Promise<number> {
  const headers = { ...developer.deployKey, 'x-forwarded-for': developer.address }
  const bytes = makeZip([{ name: 'game.bin', data: `release ${number}` }])
  const body = zipForm(bytes, 'game.zip', developer.buildId)
  const response = await fetch(`${url}/api/v1/tool/upload/files`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`An upload returned ${response.status}: ${await response.text()}`)
  const { file_uid } = await readData<{ file_uid: string }>(response)
  const started = performance.now()
  await waitFor('the verdict', async () => {
    const answer = await fetch(`${url}/api/v1/tool/upload/builds/${developer.buildId}`, { headers })
    const { files } = await readData<{ files: { file_uid: string; scan: string }[] }>(answer)
    return files.some((file) => file.file_uid === file_uid && file.scan === 'clean') || null
  })
  return performance.now() - started
}

async function timeWebhook(target: Target, receiver: WebhookReceiver): Promise<number> {
  const { url, visitor, developer } = target
  const server = { fetch: (path: string, init?: RequestInit) => fetch(url + path, init) }
  const started = performance.now()
  const response = await report(server, visitor.playerKey, developer.gameUid)
  if (!response.ok) throw new Error(`A report returned ${response.status}: ${await response.text()}`)
  const { ticket_uid } = await readData<{ ticket_uid: string }>(response)
  await waitFor('the webhook', () => receiver.received.some(({ body }) => body.includes(ticket_uid)) || null)
  return performance.now() - started
}
