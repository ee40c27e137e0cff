import { type DsseEnvelope, keyIdOf, type PublicKey, verifyEnvelope } from '../../../lib/dsse.ts'

/** Checks the signatures of the statements about this file, with the keys that the store publishes. */
const area = document.querySelector<HTMLElement>('[data-verify]')
const button = area?.querySelector('button')
const result = area?.querySelector<HTMLElement>('[data-verified]')
const list = area?.querySelector<HTMLElement>('[data-statements]')

interface Statement {
  subject: { digest: { sha256: string } }[]
  predicateType: string
}

if (area && button && result && list) {
  button.addEventListener('click', () => {
    button.disabled = true
    say('', 'Checking …')
    void verify(area.dataset.verify ?? '', area.dataset.checksum ?? '')
      .catch(() => say('bad', '✗ The statement could not be read. Reload the page and try again.'))
      .finally(() => (button.disabled = false))
  })
}

async function verify(path: string, checksum: string): Promise<void> {
  const answer = await fetch(path)
  if (answer.status === 404) return say('bad', 'There is no public statement about this file.')
  const [content, { keys }] = await Promise.all([
    answer.json() as Promise<DsseEnvelope | { attestations: DsseEnvelope[] }>,
    fetch('/.well-known/playshelf/keys.json').then((keys) => keys.json() as Promise<{ keys: PublicKey[] }>),
  ])
  const ids = await Promise.all(keys.map(({ x }) => keyIdOf(x)))
  const known = keys.filter(({ kid }, index) => ids[index] === kid)
  const shown: string[] = []
  for (const envelope of 'attestations' in content ? content.attestations : [content]) {
    const signed = await verifyEnvelope(envelope, known)
    const statement = signed && (JSON.parse(signed.text) as Statement)
    if (!signed || statement?.subject[0]?.digest.sha256 !== checksum)
      return say('bad', '✗ A statement about this file is not signed by a key of this store.')
    shown.push(`${statement.predicateType}, signed with ${signed.keyId}`)
  }
  list?.replaceChildren(...shown.map(toItem))
  if (list) list.hidden = false
  say('good', '✓ The statement is signed by this store and is about exactly this file.')
}

function toItem(text: string): HTMLElement {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

function say(tone: '' | 'good' | 'bad', text: string): void {
  if (!result) return
  result.className = tone === '' ? '' : `notice ${tone}`
  result.textContent = text
}
