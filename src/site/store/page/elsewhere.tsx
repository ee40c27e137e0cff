import type { ComponentChildren } from 'preact'

import type { Listing } from '../../../features/catalog/pages/listing-model.ts'

/** Why a listing cannot be bought here, and where its readers can turn instead. */
export function Elsewhere({ listing, children }: { listing: Listing; children: ComponentChildren }) {
  const { website, store_links } = listing
  const stores = store_links.map(({ platform, label, url }, index) => (
    <>
      {index > 0 ? ' or ' : 'Get it at '}
      <a key={platform} href={url} rel="nofollow noopener">
        {label}
      </a>
    </>
  ))
  return (
    <p class="quiet small">
      {children} {stores}
      {website === null ? null : (
        <>
          {stores.length > 0 ? ', or ask on ' : 'You can ask on '}
          <a href={website} rel="nofollow noopener">
            its website
          </a>
        </>
      )}
      {stores.length === 0 && website === null ? 'Its developer named no other place to get it' : null}. A key
      that you were given is <a href="/redeem">redeemed here</a>.
    </p>
  )
}
