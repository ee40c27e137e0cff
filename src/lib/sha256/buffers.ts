/** Whether nothing else can have a view of the same memory. */
export function ownsBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
}

/** Frees memory now: the runtime hardly counts it, so garbage would grow by hundreds of megabytes. */
export function freeBuffer(bytes: Uint8Array): void {
  if (ownsBuffer(bytes)) bytes.buffer.transfer(0)
}
