import type { Locator, Page } from 'playwright-core'

import { makeCode, stepAt } from '../../../src/lib/totp.ts'
import { drawPng } from '../files/pictures.ts'
import { makeZip } from '../files/zips.ts'

export const PASSWORD = 'a lamp in the window'

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/**
 * For a page whose address names an element: the browser moves the focus there when it first draws the page,
 * and text typed at that moment is lost.
 */
export async function fillWhenDrawn(field: Locator, text: string): Promise<void> {
  await field.page().waitForLoadState()
  // A click waits for two frames.
  await field.click()
  await field.fill(text)
}

/** For a field that takes files. */
export async function pictureOf(width: number, height: number) {
  const buffer = Buffer.from(await (await drawPng(width, height)).arrayBuffer())
  return { name: 'picture.png', mimeType: 'image/png', buffer }
}

/** On the page of the printed address: a store called Lantern Games, by invitation. */
export async function setUpStore(page: Page): Promise<void> {
  await page.getByLabel('Name of the store').fill('Lantern Games')
  await page.getByLabel('Colour').fill('#0f766e')
  await page.getByLabel('Who can create an account').selectOption('invite')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('E-mail').fill('ada@example.org')
  await page.getByLabel('Password').fill(PASSWORD)
  await press(page, 'Set up the store')
  await page.getByRole('status').filter({ hasText: 'Your store is set up' }).first().waitFor()
}

/** On the page of the account. */
export async function addAuthenticator(page: Page): Promise<void> {
  await press(page, 'Add authenticator app')
  const secret = (await page.locator('code.secret').first().textContent()) ?? ''
  await page.getByLabel('Code', { exact: true }).fill(makeCode(secret, stepAt(Date.now())))
  await press(page, 'Confirm the app')
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor()
}

/** In the studio: a first build for Linux, until it is scanned. */
export async function uploadBuild(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Builds', exact: true }).first().click()
  await page.getByLabel('Version').fill('1.0.0')
  await page.getByLabel('System').selectOption('linux')
  const buffer = makeZip([{ name: 'game.txt', data: 'a game' }])
  const file = { name: 'harbour.zip', mimeType: 'application/zip', buffer }
  await page.getByLabel('File: choose the .zip').setInputFiles(file)
  await press(page, 'Upload build')
  await page.getByText('Checked, no antivirus', { exact: true }).first().waitFor()
}
