import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'

import { createTestDatabase } from '../../helpers/database.ts'
import { createTempDir, startChild } from '../../helpers/processes/child.ts'
import { waitFor } from '../../helpers/wait.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let folder: Awaited<ReturnType<typeof createTempDir>>
beforeAll(async () => {
  database = await createTestDatabase()
  folder = await createTempDir('thread-priority')
})
afterAll(async () => {
  await database.drop()
  await folder.remove()
})

/** How far each thread of the process stands behind others. */
async function readNiceness(pid: number): Promise<{ id: number; name: string; niceness: number }[]> {
  const ids = await readdir(`/proc/${pid}/task`)
  const threads = await Promise.all(
    ids.map(async (id) => {
      // Idle threads end by themselves, perhaps since they were listed.
      const stat = await Bun.file(`/proc/${pid}/task/${id}/stat`)
        .text()
        .catch(() => '')
      const [, name, rest = ''] = /\((.*)\) (.*)/s.exec(stat) ?? []
      return name === undefined ? [] : { id: Number(id), name, niceness: Number(rest.split(' ')[16]) }
    }),
  )
  return threads.flat()
}

test.skipIf(process.platform !== 'linux')(
  'the thread that answers requests goes before those that hash, compile and run jobs',
  async () => {
    const child = await startChild({
      env: {
        DATABASE_URL: database.url,
        DATA_DIR: folder.path,
        SECRET_KEY: 'a-secret-key-for-tests-that-is-long-enough',
        STORAGE_RESERVE: '0',
      },
    })
    const of = async (name: RegExp) => (await readNiceness(child.pid)).filter((one) => name.test(one.name))
    await waitFor('jobs are behind', async () => (await of(/^jobs/)).some(({ niceness }) => niceness === 19))
    await waitFor('the helpers are behind', async () => {
      const found = await of(/^(Bun Pool|JITWorker)/)
      return found.some(({ name }) => name === 'Bun Pool 0') && found.every(({ niceness }) => niceness === 15)
    })
    const main = (await readNiceness(child.pid)).find(({ id }) => id === child.pid)
    expect(main?.niceness).toBeLessThan(15)
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  },
)
