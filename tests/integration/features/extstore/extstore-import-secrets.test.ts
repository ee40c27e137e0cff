import { expect, mock, spyOn, test } from 'bun:test'

import { createLogger } from '../../../../src/lib/log.ts'
import { DEMO_APPS } from '../../../helpers/ext-store-double/apps/demo-apps.ts'
import { askImport, askPreview, startImportWorld, WEB_API_KEY } from '../../../helpers/extstore/imports.ts'

test('the key is in no log line and in no answer, whatever happens', async () => {
  const lines: string[] = []
  const world = await startImportWorld(
    createLogger({ level: 'debug', pretty: false, write: (line) => void lines.push(line) }),
  )
  try {
    const person = await world.signUpDeveloper()
    const { appId: app_id } = DEMO_APPS.paid
    const answers: string[] = []
    const keep = async (answer: Response) => void answers.push(`${answer.status} ${await answer.text()}`)

    await keep(await askPreview(person, { app_id }))
    for (const [point, fault] of [
      ['appList', 'html403'],
      ['appList', '500'],
      ['appDetails', 'not_json'],
      ['appDetails', 'half'],
      ['image', 'reset'],
    ] as const) {
      world.double.fail(point, fault)
      await keep(await askPreview(person, { app_id }))
      world.double.heal()
    }
    await keep(await askImport(person, { app_id: 999_999 }))
    await keep(await askImport(person, { app_id, groups: [WEB_API_KEY] }))
    spyOn(world.server.deps.keyring, 'encrypt').mockImplementation((text) => {
      throw new Error(`Could not encrypt ${text.length} characters`)
    })
    await keep(await askImport(person, { app_id, enable_auth: true }))
    mock.restore()
    await keep(await askImport(person, { app_id, enable_auth: true }))

    expect(answers.map((answer) => Number(answer.slice(0, 3)))).toEqual([
      200, 403, 502, 502, 502, 200, 403, 400, 500, 201,
    ])
    expect(answers.filter((answer) => answer.includes(WEB_API_KEY))).toEqual([])
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.includes(WEB_API_KEY))).toEqual([])
  } finally {
    mock.restore()
    await world.stop()
  }
})
