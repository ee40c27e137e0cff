/** Sends a form's choice to the routes it belongs to and follows where they lead. */
const form = document.querySelector<HTMLFormElement>('#sign-in, #consent, #approval')
const alert = form?.querySelector('[role=alert]')

if (form && alert) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form, alert, event.submitter instanceof HTMLButtonElement ? event.submitter.value : '')
  })
}

async function send(form: HTMLFormElement, alert: Element, choice: string): Promise<void> {
  for (const button of form.querySelectorAll('button')) button.disabled = true
  alert.textContent = ''
  try {
    const next = await submit(form, alert, choice)
    if (next) location.assign(next)
  } catch (error) {
    alert.textContent = error instanceof Error ? error.message : 'That did not work; try again.'
    for (const button of form.querySelectorAll('button')) button.disabled = false
  }
}

function submit(form: HTMLFormElement, alert: Element, choice: string): Promise<string | null> {
  if (form.id === 'sign-in') return signIn(new FormData(form))
  return form.id === 'consent' ? answerConsent(choice === 'accept') : answerApproval(form, alert, choice)
}

async function signIn(fields: FormData): Promise<string> {
  await post('/api/auth/sign-in/email', { email: fields.get('email'), password: fields.get('password') })
  // A program that asked for access goes on where it was sent here from.
  const asked = new URLSearchParams(location.search)
  const next = asked.get('next') ?? ''
  if (/^\/(?![/\\])/.test(next)) return next
  if (!asked.has('client_id')) return '/'
  for (const name of ['exp', 'sig', 'ba_iat', 'ba_param']) asked.delete(name)
  return `/api/auth/oauth2/authorize?${asked}`
}

async function answerConsent(accept: boolean): Promise<string> {
  const { url } = await post('/api/auth/oauth2/consent', { accept, oauth_query: location.search.slice(1) })
  return String(url)
}

/** Stays on the page: the link has done its work. */
async function answerApproval(
  form: HTMLFormElement,
  alert: Element,
  decision: string,
): Promise<string | null> {
  try {
    await post(`/api/v1/private${location.pathname}`, { decision })
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error
    return `/sign-in?next=${location.pathname}`
  }
  form.replaceChildren(alert)
  alert.textContent = decision === 'approve' ? 'Approved: players get this build now.' : 'Rejected.'
  return null
}

class RequestError extends Error {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const said = await response.json().catch(() => ({}))
  if (response.ok) return said
  throw new RequestError(
    said.message ?? said.error?.message ?? 'That did not work; try again.',
    response.status,
  )
}
