import { expect, test } from 'bun:test'

import { createPkcePair, exchange, registerClient } from '../helpers/sign-in/oauth.ts'
import { openWindow } from '../helpers/site/site-checks.ts'
import { describeInBrowser, useBrowser } from '../helpers/site/use-browser.ts'
import { usePerson, useStore } from '../helpers/store.ts'

describeInBrowser('a program that asks for access, in a browser', () => {
  const opened = useBrowser()
  const server = useStore({ TRUST_PROXY: '1' })
  const person = usePerson(server)

  async function openRequest(scope: string, javaScriptEnabled = true) {
    const landed = Promise.withResolvers<URL>()
    const program = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch({ url }) {
        landed.resolve(new URL(url))
        return new Response('back at the program')
      },
    })
    const redirectUri = new URL('/callback', program.url).href
    const clientId = await registerClient(server, { redirect_uris: [redirectUri] })
    const { verifier, challenge } = createPkcePair()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'x',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: server.url,
    })
    const window = await openWindow(opened.browser, server, null, { javaScriptEnabled })
    const { context, page, problems } = window
    await page.goto(`${server.url}/api/auth/oauth2/authorize?${query.toString()}`)
    const close = async () => {
      await context.close()
      await program.stop(true)
    }
    return { page, problems, landed: landed.promise, clientId, redirectUri, verifier, close }
  }

  test.each([
    ['with script', true],
    ['without script', false],
  ])('signing in and allowing it gives the program a token, %s', async (_, hasScript) => {
    const request = await openRequest('player:read', hasScript)
    const { page, problems, landed, clientId, redirectUri, verifier, close } = request
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Allow “A test client”' }).waitFor()
    await page.waitForLoadState()
    const asked = page.getByRole('main').getByRole('listitem')
    expect(await asked.allTextContents()).toEqual(['See what you own and play'])
    await page.getByRole('button', { name: 'Allow' }).click()
    const code = (await landed).searchParams.get('code') ?? ''
    const fields = {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    }
    expect((await exchange(server, fields)).status).toBe(200)
    expect(problems).toEqual([`foreign request ${(await landed).href}`])
    await close()
  })

  test('denying it tells the program so', async () => {
    const { page, landed, close } = await openRequest('player:read player:bugs')
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    expect((await landed).searchParams.get('error')).toBe('access_denied')
    await close()
  })

  test('a wrong password is told, and can be tried again', async () => {
    const { page, close } = await openRequest('player:read')
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill('wrong wrong wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign in' }).isEnabled()).toBe(true)
    await close()
  })

  test('the API reference is readable, filters, and loads nothing from elsewhere', async () => {
    const { context, page, problems } = await openWindow(opened.browser, server)
    await page.goto(`${server.url}/docs`)
    const menu = page.getByRole('navigation', { name: 'Operations' })
    const filter = menu.getByRole('searchbox', { name: 'Filter operations' })
    await filter.fill('alive')
    expect(await menu.getByText('Is the process alive?').isVisible()).toBe(true)
    expect(await menu.getByText('This description as YAML').isVisible()).toBe(false)
    await filter.press('Escape')
    expect(await menu.getByText('This description as YAML').isVisible()).toBe(true)
    expect(problems).toEqual([])
    await context.close()
  })
})
