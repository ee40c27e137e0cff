/** Sends events like games do, from its own process, and prints how many were accepted. */
export interface IngestTask {
  url: string
  gameUid: string
  buildUid: string
  connections: number
  seconds: number
}

export interface IngestResult {
  events: number
  seconds: number
  latenciesMs: number[]
}

const EVENTS = 100
const DEVICE = 'device-to-replace'
const NAMES = ['session_start', 'boot_ok', 'heartbeat', 'level_up', 'enemy_seen', 'item_found']

if (import.meta.main) console.log(JSON.stringify(await send(JSON.parse(process.argv[2] ?? ''))))

async function send(task: IngestTask): Promise<IngestResult> {
  const body = makeBody(Date.now())
  const started = performance.now()
  const until = started + task.seconds * 1000
  const latenciesMs: number[] = []
  let sent = 0
  const keepSending = async () => {
    while (performance.now() < until) {
      sent += 1
      const asked = performance.now()
      const answer = await fetch(`${task.url}/api/v1/public/events`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-app-id': task.gameUid,
          'x-build-id': task.buildUid,
          'x-forwarded-for': addressOf(sent),
        },
        body: body.replaceAll(DEVICE, crypto.randomUUID()),
      })
      await answer.arrayBuffer()
      if (answer.status !== 202) throw new Error(`Events were answered ${answer.status}`)
      latenciesMs.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: task.connections }, keepSending))
  return { events: latenciesMs.length * EVENTS, seconds: (performance.now() - started) / 1000, latenciesMs }
}

/** The events of one session on one device. */
function makeBody(now: number): string {
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    name: NAMES[index % NAMES.length],
    device_id: DEVICE,
    session_id: 'session-1',
    at: new Date(now + index * 1000).toISOString(),
    ...(index % 4 === 0 ? { metadata: { level: index, mode: 'hard', paused: false } } : {}),
  }))
  return JSON.stringify({ events })
}

/** Uses a new address for each request, because each may send sixty a minute. */
function addressOf(request: number): string {
  return `10.${(request >> 16) & 255}.${(request >> 8) & 255}.${request & 255}`
}
