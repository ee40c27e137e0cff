import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const CEPH_PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'] as const

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'monmaptool']
const BUCKET = 'playshelf-test'
const REGION = 'us-east-1'

export interface Ceph {
  /**
   * In the form of STORAGE_URL. The keys are passed separately, as AWS_ACCESS_KEY_ID and
   * AWS_SECRET_ACCESS_KEY.
   */
  url: string
  endpoint: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

export function isCephInstalled(): boolean {
  return PROGRAMS.every((program) => Bun.which(program) !== null)
}

/** Starts a temporary cluster in `dir`: one monitor, one disk, one S3 gateway. Stopping it deletes `dir`. */
export async function startCeph({ dir }: { dir: string }): Promise<Ceph> {
  const home = resolve(dir)
  for (let attempt = 1; ; attempt += 1) {
    const daemons: Bun.Subprocess[] = []
    const stop = async () => {
      for (const daemon of daemons.toReversed()) await end(daemon)
      await rm(home, { recursive: true, force: true })
    }
    try {
      return { ...(await start(home, daemons)), stop }
    } catch (error) {
      await stop()
      // Another cluster on this machine may have taken a port that was free a moment ago.
      if (attempt === 3) throw error
    }
  }
}

async function start(home: string, daemons: Bun.Subprocess[]): Promise<Omit<Ceph, 'stop'>> {
  await Promise.all(['mon', 'osd', 'rgw'].map((name) => mkdir(join(home, name), { recursive: true })))
  const fsid = crypto.randomUUID()
  const [monitorPort, gatewayPort] = takeFreePorts()
  const conf = await writeCephConfig(home, { fsid, monitorPort, gatewayPort })
  const monmap = join(home, 'monmap')
  const daemon = (program: string, ...args: string[]) => {
    const child = spawn(home, [program, '-f', '-c', conf, ...args])
    daemons.push(child)
    return child
  }

  await run(home, [
    'monmaptool',
    '--create',
    '--addv',
    'a',
    `[v1:127.0.0.1:${monitorPort}]`,
    '--fsid',
    fsid,
    monmap,
  ])
  await run(home, ['ceph-mon', '-c', conf, '-i', 'a', '--mkfs', '--monmap', monmap])
  daemon('ceph-mon', '-i', 'a')
  await run(home, ['ceph-osd', '-c', conf, '-i', '0', '--mkfs'])
  const osd = (await Bun.file(join(home, 'osd', 'fsid')).text()).trim()
  await run(home, ['ceph', '-c', conf, '--connect-timeout', '30', 'osd', 'new', osd])
  await startDisk(home, () => daemon('ceph-osd', '-i', '0'), conf)
  const gateway = daemon('radosgw', '-n', 'client.rgw.a')

  const endpoint = `http://127.0.0.1:${gatewayPort}`
  const accessKeyId = `TEST${crypto.randomUUID().slice(0, 8).toUpperCase()}`
  const secretAccessKey = crypto.randomUUID() + crypto.randomUUID()
  await waitFor('the gateway', gateway, async () => (await fetch(endpoint)).ok)
  const keys = [`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`]
  await run(home, [
    'radosgw-admin',
    '-c',
    conf,
    'user',
    'create',
    '--uid=test',
    '--display-name=test',
    ...keys,
  ])
  await createBucket(endpoint, { accessKeyId, secretAccessKey })
  const query = new URLSearchParams({ endpoint, region: REGION, path_style: 'true' })
  return { url: `s3://${BUCKET}?${query.toString()}`, endpoint, accessKeyId, secretAccessKey }
}

/** The disk exits if it asks before the monitor knows it, so starting it is retried. */
async function startDisk(home: string, spawnDisk: () => Bun.Subprocess, conf: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await waitFor('the disk', spawnDisk(), async () => {
        const stat = await run(home, ['ceph', '-c', conf, '--connect-timeout', '5', 'osd', 'stat'])
        return stat.includes('1 up')
      })
    } catch (error) {
      if (attempt === 20) throw error
    }
  }
}

async function createBucket(endpoint: string, credentials: { accessKeyId: string; secretAccessKey: string }) {
  // Loaded here: most runs start no S3, and it takes longer to load than all the rest.
  const { CreateBucketCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client({ endpoint, credentials, region: REGION, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
  client.destroy()
}

function takeFreePorts(): [number, number] {
  const listen = () => Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const [first, second] = [listen(), listen()]
  first.stop()
  second.stop()
  return [first.port, second.port]
}

function spawn(home: string, command: string[]) {
  const log = Bun.file(join(home, `${command[0]}.out`))
  return Bun.spawn(command, { cwd: home, stdin: 'ignore', stdout: log, stderr: log })
}

async function run(home: string, command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: home, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command[0]} failed (${code}): ${err.trim() || out.trim()}`)
  return out
}

async function waitFor(what: string, daemon: Bun.Subprocess, ready: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (Date.now() < deadline) {
    if (daemon.exitCode !== null) throw new Error(`${what} of Ceph ended with ${daemon.exitCode}`)
    if (await ready().catch(() => false)) return
    await Bun.sleep(100)
  }
  throw new Error(`${what} of Ceph did not start within a minute`)
}

/** The data is discarded, so this only waits for the process to end. */
async function end(daemon: Bun.Subprocess): Promise<void> {
  daemon.kill('SIGKILL')
  await daemon.exited
}

interface Addresses {
  fsid: string
  monitorPort: number
  gatewayPort: number
}

/** One copy of all data, nothing outside `home`, no authentication inside the cluster. */
async function writeCephConfig(home: string, { fsid, monitorPort, gatewayPort }: Addresses) {
  const path = join(home, 'ceph.conf')
  await Bun.write(
    path,
    `[global]
fsid = ${fsid}
mon host = v1:127.0.0.1:${monitorPort}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${home}
log file = ${home}/$name.log
admin socket = ${home}/$name.asok
pid file = ${home}/$name.pid
osd pool default size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.1
paxos min wait = 0.02
rgw gc obj min wait = 5
rgw gc processor period = 5

[mon.a]
mon data = ${home}/mon

[osd.0]
osd data = ${home}/osd
osd objectstore = bluestore
bluestore block size = 21474836480
osd memory target = 1073741824

[client.rgw.a]
rgw data = ${home}/rgw
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1
`,
  )
  return path
}
