import { S3ServiceException } from '@aws-sdk/client-s3'

import { AppError } from '../../../errors.ts'

export interface S3Settings {
  bucket: string
  /** Null for Amazon's own endpoint of the region. */
  endpoint: string | null
  /** Where browsers reach the store, if not at the same address; signed links lead there. */
  publicEndpoint: string | null
  region: string
  pathStyle: boolean
  accessKeyId: string
  secretAccessKey: string
}

/** For API clients: omits bucket and endpoint, which only concern the operator. */
export function toAppError(cause: unknown): AppError {
  return new AppError('service_down', {
    message: 'The object store does not answer; try again later.',
    cause,
  })
}

/** For the operator: describes the problem and the fix. */
export function describeFault(error: unknown, { bucket, endpoint, region }: S3Settings): string {
  const where = endpoint ?? `Amazon S3 in ${region}`
  if (!(error instanceof S3ServiceException)) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection'
    return `The object store at ${where} cannot be reached (${reason}); check the endpoint in STORAGE_URL and that it runs.`
  }
  switch (error.name) {
    case 'NoSuchBucket':
      return `The bucket "${bucket}" does not exist at ${where}; create it, or name another in STORAGE_URL.`
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return `${where} refuses the credentials; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
    case 'AccessDenied':
      return `These credentials may not use the bucket "${bucket}" at ${where}; allow listing, reading, writing and deleting.`
    case 'RequestTimeTooSkewed':
      return `The clock of this machine differs too much from that of ${where}; set the time.`
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return `The bucket "${bucket}" is in another region than ${region}; set region in STORAGE_URL.`
    default:
      return `The object store at ${where} answered ${error.name}: ${error.message}`
  }
}
