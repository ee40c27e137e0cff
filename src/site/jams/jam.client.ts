/** Shows times of jams in the zone of the visitor, and counts down to what comes next. */
const SECOND = 1000
const DAY_SECONDS = 86_400

const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone

for (const place of document.querySelectorAll<HTMLElement>('[data-zoned]')) {
  const time = place.querySelector('time')
  if (!time) continue
  time.title = `${time.textContent} (shown in ${zone})`
  time.textContent = format.format(new Date(place.dataset.zoned ?? ''))
}

/** Counted from the clock of the store when it wrote the page, by a clock that never jumps. */
const opened = performance.now()

function show(place: HTMLElement): void {
  const now = Number(place.dataset.now) + performance.now() - opened
  const left = Math.floor((Date.parse(place.dataset.countdown ?? '') - now) / SECOND)
  place.textContent = left > 0 ? `, in ${tell(left)}` : ', now: reload this page'
}

function tell(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = `${two((seconds % DAY_SECONDS) / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`
  const days = Math.floor(seconds / DAY_SECONDS)
  return days === 0 ? clock : `${days} ${days === 1 ? 'day' : 'days'} ${clock}`
}

const counters = [...document.querySelectorAll<HTMLElement>('[data-countdown]')]
if (counters.length > 0) {
  const showAll = () => {
    if (document.visibilityState === 'visible') for (const place of counters) show(place)
  }
  showAll()
  setInterval(showAll, SECOND)
}
