/** Sends a form's answer to the account routes and follows where they lead. */
const form = document.querySelector('form')
const alert = document.querySelector('[role=alert]')

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void send(event)
})

async function send(event) {
  const choice = event.submitter?.value
  for (const button of form.querySelectorAll('button')) button.disabled = true
  alert.textContent = ''
  try {
    location.assign(
      await (form.id === 'consent' ? answerConsent(choice === 'accept') : signIn(new FormData(form))),
    )
  } catch (error) {
    alert.textContent = error instanceof Error ? error.message : 'That did not work; try again.'
    for (const button of form.querySelectorAll('button')) button.disabled = false
  }
}

async function signIn(fields) {
  await post('/api/auth/sign-in/email', { email: fields.get('email'), password: fields.get('password') })
  // A program that asked for access goes on where it was sent here from.
  const asked = new URLSearchParams(location.search)
  if (!asked.has('client_id')) return '/'
  for (const name of ['exp', 'sig', 'ba_iat', 'ba_param']) asked.delete(name)
  return `/api/auth/oauth2/authorize?${asked}`
}

async function answerConsent(accept) {
  const { url } = await post('/api/auth/oauth2/consent', { accept, oauth_query: location.search.slice(1) })
  return url
}

async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const said = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(said.message ?? said.error?.message ?? 'That did not work; try again.')
  return said
}
