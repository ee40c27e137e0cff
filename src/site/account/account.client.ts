/** Old links to a section of the account page, such as `/account#keys`, go on to the page that has it now. */
const id = location.hash.slice(1)
const link = id === '' ? null : document.getElementById(id)?.querySelector<HTMLAnchorElement>('a')
if (link) location.replace(link.href)
