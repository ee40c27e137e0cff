import type { Session } from './state.ts'

function page(title: string, body: string): Response {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:1rem/1.5 system-ui;max-width:26rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.6rem 1.4rem;margin-right:.5rem}</style>
<main><h1>${title}</h1>${body}</main></html>`
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

export function payPage({ id, amount_total, status }: Session, name: string): Response {
  const text = `<p>${escape(name)}: $${(amount_total / 100).toFixed(2)}</p><p>No real money: this page stands for Stripe's.</p>`
  if (status !== 'open') return page('Already done', `${text}<p>This payment is ${status}.</p>`)
  return page(
    'Pay',
    `${text}<form method="post" action="/pay/${id}/pay"><button>Pay</button></form>
<form method="post" action="/pay/${id}/cancel"><button>Cancel</button></form>`,
  )
}

export function onboardingPage(accountId: string, back: string): Response {
  return page(
    'Connect with Stripe',
    `<form method="post" action="/onboarding/${accountId}?return=${encodeURIComponent(back)}"><button>Finish</button></form>`,
  )
}

export function plainPage(title: string): Response {
  return page(title, '<p>This page stands for one of Stripe.</p>')
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
