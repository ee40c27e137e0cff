import { t } from 'elysia'

const Envelope = t.Object({
  payloadType: t.String({ examples: ['application/vnd.in-toto+json'] }),
  payload: t.String({ description: 'An in-toto Statement v1, in base64.' }),
  signatures: t.Array(
    t.Object({
      keyid: t.String({ description: 'Of a key in /.well-known/playshelf/keys.json.' }),
      sig: t.String({ description: 'Ed25519, in base64.' }),
    }),
  ),
})

export const Attestations = t.Object({ attestations: t.Array(Envelope) })
export type Attestations = typeof Attestations.static

export const DSSE_TYPE = 'application/vnd.dsse.envelope.v1+json'
const EXAMPLE = {
  payloadType: 'application/vnd.in-toto+json',
  payload: 'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==',
  signatures: [{ keyid: '3b1c…', sig: 'mZk…' }],
}

/** For the API description: the answer has two media types. */
export const STATEMENTS = {
  description: 'The envelope as it was signed, or a list where there are two.',
  content: {
    [DSSE_TYPE]: { schema: Envelope, example: EXAMPLE },
    'application/json': { schema: Attestations, example: { attestations: [EXAMPLE, EXAMPLE] } },
  },
}

export const KeySet = t.Object({
  keys: t.Array(
    t.Object({
      kty: t.String({ examples: ['OKP'] }),
      crv: t.String({ examples: ['Ed25519'] }),
      x: t.String({ description: 'The public key in base64url.' }),
      kid: t.String({ description: 'SHA-256 of the public key, in hex.' }),
      use: t.String({ examples: ['sig'] }),
      alg: t.String({ examples: ['EdDSA'] }),
    }),
  ),
})
export type KeySet = typeof KeySet.static
