import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { EICAR, makeZip } from '../../../../helpers/files/zips.ts'
import { readData } from '../../../../helpers/json.ts'
import { startJobs } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import {
  createPipeline,
  fileForm,
  postFile,
  UPLOAD_PATH,
  type UploadedFile,
} from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  runner = await startJobs(server)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

interface ShownFile {
  file_uid: string
  scan: string
  scan_detail: string | null
}

/** Uploads a zip as a pipeline does and waits for its scan. */
async function upload(zip: Uint8Array): Promise<ShownFile> {
  const { build, key } = await createPipeline(server)
  const { file_uid } = await readData<UploadedFile>(await postFile(server, key, fileForm(build, zip)))
  return await waitFor('the scan', async () => {
    const answer = await server.fetch(`${UPLOAD_PATH}/builds/${build.uid}`, { headers: { ...key } })
    const { files } = await readData<{ files: ShownFile[] }>(answer)
    return files.find((file) => file.file_uid === file_uid && file.scan !== 'scanning')
  })
}

const game = { name: 'game.sh', data: 'echo hello' }
const hidden = makeZip([{ name: 'virus.com', data: EICAR }])
const REPACK =
  'Upload a plain zip: pack the files again with an ordinary zip program, not as a self-extracting archive.'

test.each([
  ['in front of it', makeZip([{ ...game, before: hidden }]), `The zip begins with ${hidden.length} bytes`],
  ['between its files', makeZip([{ ...game, after: hidden }, { name: 'b' }]), '"game.sh" is followed by'],
  ['in front of its directory', makeZip([game], { beforeDirectory: hidden }), '"game.sh" is followed by'],
  ['in front of its end', makeZip([game], { beforeEnd: hidden }), 'The zip has bytes between'],
  ['behind its end', Buffer.concat([makeZip([game]), hidden.subarray(0, -22)]), 'bytes follow its end'],
  ['in its comment', makeZip([game], { comment: hidden.toString('latin1') }), 'not where its end says'],
])('a zip with another zip %s ends as error, and its owner reads what to do', async (_, zip, reason) => {
  const file = await upload(zip)
  expect(file.scan).toBe('error')
  expect(file.scan_detail).toContain(reason)
  expect(file.scan_detail).toEndWith(REPACK)
})

test('the same zip without it is clean', async () => {
  expect(await upload(makeZip([game, { name: 'b' }]))).toMatchObject({ scan: 'clean', scan_detail: null })
})
