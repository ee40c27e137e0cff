import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** Hashes the file it is sent, in pieces, and reports how far it is and then the SHA-256. */
const REPORT_MS = 100

addEventListener('message', (event: MessageEvent<File>) => {
  void hash(event.data).catch((error: unknown) => postMessage({ failure: String(error) }))
})

async function hash(file: File): Promise<void> {
  const hasher = sha256.create()
  let done = 0
  let reported = 0
  for (const reader = file.stream().getReader(); ;) {
    const { value, done: isEnd } = await reader.read()
    if (isEnd) break
    hasher.update(value)
    done += value.length
    if (performance.now() - reported < REPORT_MS) continue
    reported = performance.now()
    postMessage({ done })
  }
  postMessage({ done, checksum: bytesToHex(hasher.digest()) })
}
