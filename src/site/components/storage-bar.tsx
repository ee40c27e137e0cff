import type { StorageUse } from '../../features/storage/quota.ts'
import { bytesText } from '../kit/labels.ts'

/** How much of its storage an account has used. */
export function StorageBar({ storage: { used, limit } }: { storage: StorageUse }) {
  return (
    <p class="row small">
      <label for="storage-used">Storage of the account</label>
      <meter id="storage-used" min={0} max={limit} high={limit * 0.9} value={Math.min(used, limit)} />
      <span>
        {bytesText(used)} of {bytesText(limit)} used
      </span>
    </p>
  )
}
