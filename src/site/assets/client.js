/** Sends a form's answer to the routes it belongs to and follows where they lead. */
const form = document.querySelector('form')
const alert = document.querySelector('[role=alert]')

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void send(event)
})

const senders = {
  'sign-in': () => signIn(new FormData(form)),
  consent: (choice) => answerConsent(choice === 'accept'),
  approval: answerApproval,
}

async function send(event) {
  const choice = event.submitter?.value
  for (const button of form.querySelectorAll('button')) button.disabled = true
  alert.textContent = ''
  try {
    const next = await senders[form.id](choice)
    if (next) location.assign(next)
  } catch (error) {
    alert.textContent = error instanceof Error ? error.message : 'That did not work; try again.'
    for (const button of form.querySelectorAll('button')) button.disabled = false
  }
}

async function signIn(fields) {
  await post('/api/auth/sign-in/email', { email: fields.get('email'), password: fields.get('password') })
  // A program that asked for access goes on where it was sent here from.
  const asked = new URLSearchParams(location.search)
  const next = asked.get('next') ?? ''
  if (/^\/approvals\/[\w-]+$/.test(next)) return next
  if (!asked.has('client_id')) return '/'
  for (const name of ['exp', 'sig', 'ba_iat', 'ba_param']) asked.delete(name)
  return `/api/auth/oauth2/authorize?${asked}`
}

async function answerConsent(accept) {
  const { url } = await post('/api/auth/oauth2/consent', { accept, oauth_query: location.search.slice(1) })
  return url
}

/** Stays on the page: the link has done its work. */
async function answerApproval(decision) {
  try {
    await post(`/api/v1/private${location.pathname}`, { decision })
  } catch (error) {
    if (error.status !== 401) throw error
    return `/sign-in?next=${location.pathname}`
  }
  form.replaceChildren(alert)
  alert.textContent = decision === 'approve' ? 'Approved: players get this build now.' : 'Rejected.'
  return null
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const said = await answer.json().catch(() => ({}))
  if (answer.ok) return said
  const message = said.message ?? said.error?.message ?? 'That did not work; try again.'
  throw Object.assign(new Error(message), { status: answer.status })
}
