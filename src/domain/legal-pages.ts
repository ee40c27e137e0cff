import type { StorePage } from './store-settings.ts'

/** The pages that most laws ask for, with their usual titles. */
export const LEGAL_PAGES = {
  privacy: 'Privacy',
  terms: 'Terms of use',
  imprint: 'Imprint',
} as const
type LegalPage = keyof typeof LEGAL_PAGES

const BLANK = /\[Fill in: [^\]\n]*\]/g

/** How many places of a starter text are still to be filled. */
export function countBlanks(markdown: string): number {
  return markdown.match(BLANK)?.length ?? 0
}

const STARTERS: Readonly<Record<LegalPage, (store: string) => string>> = {
  privacy: (
    store,
  ) => `[Fill in: name and postal address of who runs the store] decides how ${store} uses personal data. Write to [Fill in: e-mail address] with any question about it.

## What we store

- **Your account**: name, username, e-mail address, your password as a hash, passkeys and other ways to sign in, and your settings. We need these to let you in.
- **Your profile**: the display name, pictures, text and links that you choose to show. Everyone can see them.
- **Signed-in browsers**: the IP address and the name of the browser, until you sign out or the session ends.
- **What you do here**: your library, play time, reviews, tags, reports and, if you publish, your pages and files. Reviews and pages are public.
- **Downloads and launches**: counts by day, program and country. Games may report how they start, without your name.
- **Purchases**: what you bought and when. Cards are handled by the payment service; we never see their numbers. [Fill in: name of the payment service, or delete this point]

## Cookies

We set cookies that keep you signed in and remember the theme. None of them follows you to other sites.

## Who else gets data

[Fill in: hosting company, mail service and others who process data for you]. Nobody else, unless a law obliges us.

## How long, and your rights

Data of your account is deleted with the account, which you can do yourself under Account. There you can also download everything we have about you. Logs are deleted after [Fill in: number of days]. You may ask us to correct or delete data, and complain to [Fill in: the data protection authority in charge].

Last changed: [Fill in: date]
`,
  terms: (
    store,
  ) => `These terms apply between you and [Fill in: name of who runs the store], who runs ${store}.

## Your account

You are at least [Fill in: age] years old, or have your parents’ consent. Keep your password to yourself. One person, one account.

## What you get

A title in your library is a licence for your own use. What else you may do with it says the licence on its page. If a title is withdrawn, you keep what you bought unless a law or the rights of others forbid it.

## Buying and refunds

The developer named on the page sells the title. [Fill in: your refund rules, and the right of withdrawal of your country; delete this section if nothing is sold]

## What you publish

Publish only what you have the rights to. Nothing illegal, nothing that harms computers or people. You keep your rights, and allow us to show and hand out your files to those who get them here. We may take down what breaks these terms, and tell you why.

## Liability

[Fill in: the liability rules of your country]

## Changes

We announce changes of these terms [Fill in: number of days] days before they apply. The law of [Fill in: country] applies.

Last changed: [Fill in: date]
`,
  imprint: (store) => `${store} is run by:

- [Fill in: full name or company]
- [Fill in: street and number]
- [Fill in: postal code, city, country]
- E-mail: [Fill in: e-mail address]
- Telephone: [Fill in: telephone number, or delete this line]

[Fill in: register and number, VAT number, who represents the company; delete what does not apply]
`,
}

/** A page to begin with; empty unless it is one of the legal ones. */
export function startPage(slug: string, store: string): StorePage {
  if (!isLegal(slug)) return { slug, title: '', markdown: '' }
  return { slug, title: LEGAL_PAGES[slug], markdown: STARTERS[slug](store) }
}

function isLegal(slug: string): slug is LegalPage {
  return Object.hasOwn(LEGAL_PAGES, slug)
}
