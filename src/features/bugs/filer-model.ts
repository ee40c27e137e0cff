/** Who reports: an account and the account of the external store that is linked to it count as one. */
export interface Filer {
  userUid: string | null
  extstoreId: string | null
}
