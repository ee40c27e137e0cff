/** What a player has reached. The store keeps it in their account if they allow that, otherwise in this browser. */

const SLOT = 'progress'
/** A copy that was downloaded has no store, and begins anew each time. */
const saves = import('/.playshelf/sdk.js').then(
  () => globalThis.playshelf.saves,
  () => null,
)

const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes))

/** Null if there is none, or the store cannot be asked: if it has one after all, nothing is written over it. */
export async function loadProgress() {
  const store = await saves
  const bytes = await store?.read(SLOT).catch(() => null)
  return bytes ? parse(bytes) : null
}

let newest = null
let writing = null

/** Only the newest waits while another is written. */
export function saveProgress(progress) {
  newest = JSON.stringify(progress)
  writing ??= writeNewest().finally(() => (writing = null))
}

async function writeNewest() {
  const store = await saves
  for (let text = null; text !== newest;) {
    text = newest
    await store?.write(SLOT, text).catch(() => {})
  }
}

/** For games that can tell which of two is better, so that the player need not be asked. */
export async function preferProgress(isBetter) {
  const store = await saves
  store?.on('conflict', ({ mine, theirs }) =>
    isBetter(parse(mine.bytes), parse(theirs.bytes)) ? 'mine' : 'theirs',
  )
}
