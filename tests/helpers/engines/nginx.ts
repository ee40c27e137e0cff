import { join } from 'node:path'

export const NGINX_PACKAGES = ['nginx-light'] as const

export function isNginxInstalled(): boolean {
  return findNginx() !== null
}

/**
 * The command that serves a folder, with compressed copies beside its files, on the port in the environment. It logs each
 * request in batches, as we do.
 */
export async function nginxCommand(
  dir: string,
  root: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const template = join(dir, 'nginx.template')
  const added = Object.entries(headers).map(([name, value]) => `add_header ${name} "${value}";`)
  await Bun.write(
    template,
    `master_process off; daemon off; pid ${dir}/nginx.pid; error_log stderr;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types; access_log /dev/stdout combined buffer=32k flush=1s; sendfile on; tcp_nopush on; gzip_static on; etag on;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy; fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi; scgi_temp_path ${dir}/scgi;
  server { listen 127.0.0.1:PORT; root ${root}; ${added.join(' ')} }
}
`,
  )
  const start = `sed "s/PORT/$PORT/" ${template} > ${dir}/nginx.conf && exec ${findNginx()} -p ${dir} -c ${dir}/nginx.conf`
  return ['sh', '-c', start]
}

function findNginx(): string | null {
  return Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` })
}
