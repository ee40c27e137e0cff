/** Opening what a notice leads to also marks it as read. */
document.addEventListener('click', markOpened)
document.addEventListener('auxclick', markOpened)

function markOpened({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-notice]') : null
  const uid = link?.dataset.notice
  if (uid !== undefined) navigator.sendBeacon('/notices/read', new URLSearchParams({ uids: uid }))
}
