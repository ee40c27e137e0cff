import type { StorageUse } from '../../features/storage/quota.ts'
import { bytesText } from '../kit/labels.tsx'

interface StorageBarProps {
  storage: StorageUse
  label?: string
}

/** How much of its storage an account has used, or of a part of it. */
export function StorageBar({ storage: { used, limit }, label = 'Storage of the account' }: StorageBarProps) {
  return (
    <p class="row small">
      <label for="storage-used">{label}</label>
      <meter id="storage-used" min={0} max={limit} high={limit * 0.9} value={Math.min(used, limit)} />
      <span>
        {bytesText(used)} of {bytesText(limit)} used
      </span>
    </p>
  )
}
