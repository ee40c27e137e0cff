import { isAntivirus, showEngine, type UploadSource } from './files.ts'
import { type BuildOrigin, repositoryUrl } from './publishers.ts'

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const SCAN_PREDICATE = 'https://playshelf.dev/attestation/scan/v1'
export const SLSA_PREDICATE = 'https://slsa.dev/provenance/v1'
const PIPELINE_TYPE = 'https://playshelf.dev/attestation/pipeline/v1'

interface StatedFile {
  filename: string
  checksum: string
  scanEngine: string | null
  scannedAt: Date | null
  uploadedAt: Date
  source: UploadSource
  origin: BuildOrigin | null
  build: { uid: string; version: string; os: string; arch: string; channel: string; app: string }
}

export interface Statement {
  _type: string
  subject: { name: string; digest: { sha256: string } }[]
  predicateType: string
  predicate: object
}

/** All statements about a clean file: its scan, and for a trusted publisher where it was built from. */
export function stateFile(file: StatedFile): Statement[] {
  return [describeScan(file), ...(file.origin ? [describeBuild(file, file.origin)] : [])]
}

function describeScan(file: StatedFile): Statement {
  const { build, source, scanEngine, scannedAt } = file
  // "ClamAV 1.4.6/27800/Thu Jan 29 07:24:17 2026"
  const [engine, ...definitions] = isAntivirus(scanEngine) ? (scanEngine?.split('/') ?? []) : []
  return statementOf(file, SCAN_PREDICATE, {
    engine: engine ?? showEngine(scanEngine),
    definitions: definitions.length > 0 ? definitions.join('/') : null,
    verdict: 'clean',
    time: scannedAt?.toISOString() ?? null,
    build: build.uid,
    version: build.version,
    os: build.os,
    arch: build.arch,
    app: build.app,
    channel: build.channel,
    uploader: source,
  })
}

/** SLSA provenance v1. */
function describeBuild(file: StatedFile, origin: BuildOrigin): Statement {
  const { issuer, repository, commit, ref, workflow, run_url } = origin
  return statementOf(file, SLSA_PREDICATE, {
    buildDefinition: {
      buildType: PIPELINE_TYPE,
      externalParameters: { repository, ref, workflow },
      resolvedDependencies: [{ uri: `git+${repositoryUrl(origin)}@${ref}`, digest: { gitCommit: commit } }],
    },
    runDetails: {
      builder: { id: issuer },
      metadata: {
        ...(run_url !== null && { invocationId: run_url }),
        finishedOn: file.uploadedAt.toISOString(),
      },
    },
  })
}

function statementOf(
  { filename, checksum }: StatedFile,
  predicateType: string,
  predicate: object,
): Statement {
  const subject = [{ name: filename, digest: { sha256: checksum } }]
  return { _type: STATEMENT_TYPE, subject, predicateType, predicate }
}
