import { expect, test } from 'bun:test'

import { insertGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { readPage } from '../../helpers/site/read-page.ts'
import { submitForm } from '../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const operator = usePerson(server, signUpOperator)

test('who may see a page is said in the words of the studio, also once it was taken down', async () => {
  const game = await insertGame(server, operator, { visibility: 'invisible' })
  expect(await readPage(operator, `/operate/listings?q=${game.vanityName}`)).toContain('>With the link<')
  const path = `/operate/listings/${game.uid}`
  expect((await submitForm(operator, `${path}/take-down`, { reason: 'Stolen' })).status).toBe(303)
  expect(await readPage(operator, path)).toContain('The page was “With the link” and will be so again')
})
