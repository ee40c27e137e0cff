import { expect, test } from 'bun:test'

import { nameExternalStore, STEAM } from '../../../src/domain/external-store.ts'

test('the external store is called Steam only where every address is one of Steam', () => {
  expect(nameExternalStore(STEAM)).toBe('Steam')
  expect(nameExternalStore({ ...STEAM })).toBe('Steam')
  for (const part of ['apiUrl', 'partnerUrl', 'storeUrl', 'openidUrl'] as const)
    expect(nameExternalStore({ ...STEAM, [part]: 'http://127.0.0.1:9' })).toBe('the external store')
})
