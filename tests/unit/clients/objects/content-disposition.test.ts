import { expect, test } from 'bun:test'

import { attachmentDisposition } from '../../../../src/clients/objects/content-disposition.ts'

test.each([
  ['game.zip', `attachment; filename="game.zip"; filename*=UTF-8''game.zip`],
  ['été 1.zip', `attachment; filename="ete 1.zip"; filename*=UTF-8''%C3%A9t%C3%A9%201.zip`],
  ['a"b\\c%d/e', `attachment; filename="a_b_c_d_e"; filename*=UTF-8''a%22b%5Cc%25d%2Fe`],
  ["it's(1)*", `attachment; filename="it's(1)*"; filename*=UTF-8''it%27s%281%29%2A`],
  [
    'x\r\nSet-Cookie: y',
    `attachment; filename="x__Set-Cookie: y"; filename*=UTF-8''x%0D%0ASet-Cookie%3A%20y`,
  ],
  ['\ud800.zip', `attachment; filename="_.zip"; filename*=UTF-8''%EF%BF%BD.zip`],
])('%j', (filename, header) => {
  expect(attachmentDisposition(filename)).toBe(header)
})
