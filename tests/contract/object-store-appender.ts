import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import type { ObjectStoreSettings } from '../../src/domain/service-settings.ts'
import { makeBytes } from './object-store-bytes.ts'

interface Task {
  settings: ObjectStoreSettings
  upload: string
  total: number
  given: number
}

/** Goes on with an upload up to `given` bytes and then waits for ever, to be killed in the middle of the append. */
const { settings, upload, total, given } = JSON.parse(process.argv[2] ?? '') as Task
const objects = await openObjectStore(settings, { baseUrl: '', linkKeys: { signing: 'unused' } })
const bytes = makeBytes(total)
let offset = await objects.uploadSize(upload)
const body = new ReadableStream<Uint8Array>({
  async pull(controller) {
    if (offset >= given) await new Promise(() => setInterval(() => undefined, 60_000))
    const end = Math.min(offset + 64 * 1024, given)
    controller.enqueue(bytes.slice(offset, end))
    offset = end
  },
})
await objects.append(upload, body)
