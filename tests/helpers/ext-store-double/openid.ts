import { createHmac, randomBytes } from 'node:crypto'

import { DEMO_ACCOUNT } from './by-hand.ts'

const NAMESPACE = 'http://specs.openid.net/auth/2.0'
const SIGNED = 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle'

export interface SignInAsk {
  returnTo: string
  extstoreId: string
  /** Fields to replace before signing. */
  changes?: Record<string, string>
}

/** A provider of OpenID 2.0 without associations, like the store. */
export function createOpenid(endpoint: () => string) {
  const key = randomBytes(20)
  const checked = new Set<string>()

  const sign = (fields: URLSearchParams) => {
    const names = (fields.get('openid.signed') ?? '').split(',')
    const text = names.map((name) => `${name}:${fields.get(`openid.${name}`) ?? ''}\n`).join('')
    return createHmac('sha1', key).update(text).digest('base64')
  }

  /** Returns the address of the browser after sign-in. */
  function assert({ returnTo, extstoreId, changes = {} }: SignInAsk): string {
    const account = `${new URL('id/', endpoint()).href}${extstoreId}`
    const now = new Date().toISOString().replace(/\.\d+/, '')
    const fields = new URLSearchParams({
      'openid.ns': NAMESPACE,
      'openid.mode': 'id_res',
      'openid.op_endpoint': endpoint(),
      'openid.claimed_id': account,
      'openid.identity': account,
      'openid.return_to': returnTo,
      'openid.response_nonce': now + randomBytes(12).toString('base64'),
      'openid.assoc_handle': '1234567890',
      'openid.signed': SIGNED,
    })
    for (const [name, value] of Object.entries(changes)) fields.set(`openid.${name}`, value)
    fields.set('openid.sig', sign(fields))
    return append(returnTo, fields)
  }

  /** Confirms each assertion only once. */
  function check(fields: URLSearchParams): Response {
    const isGenuine = fields.get('openid.sig') === sign(fields)
    const nonce = fields.get('openid.response_nonce') ?? ''
    const isValid = isGenuine && !checked.has(nonce)
    checked.add(nonce)
    return new Response(`ns:${NAMESPACE}\nis_valid:${isValid}\n`, {
      headers: { 'content-type': 'text/plain;charset=utf-8' },
    })
  }

  /** The sign-in page: it asks for an account number, the real one for a password. */
  function page(fields: URLSearchParams): Response {
    const returnTo = fields.get('openid.return_to') ?? ''
    const account = fields.get('account')
    if (account !== null) return Response.redirect(assert({ returnTo, extstoreId: account }), 302)
    if (fields.has('cancel')) return Response.redirect(append(returnTo, CANCELLED), 302)
    const target = Bun.escapeHTML(returnTo)
    const markup = `<!doctype html>
      <title>Sign in to the store's double</title>
      <h1>Sign in to the store's double</h1>
      <form>
        <input type="hidden" name="openid.return_to" value="${target}" />
        <label>Account <input name="account" value="${DEMO_ACCOUNT}" pattern="[1-9][0-9]*" /></label>
        <button>Sign in</button>
      </form>
      <form>
        <input type="hidden" name="openid.return_to" value="${target}" />
        <button name="cancel" value="1">Cancel</button>
      </form>`
    return new Response(markup, { headers: { 'content-type': 'text/html; charset=utf-8' } })
  }

  return { assert, check, page }
}

const CANCELLED = new URLSearchParams({ 'openid.ns': NAMESPACE, 'openid.mode': 'cancel' })

function append(address: string, fields: URLSearchParams): string {
  return `${address}${address.includes('?') ? '&' : '?'}${fields.toString()}`
}
