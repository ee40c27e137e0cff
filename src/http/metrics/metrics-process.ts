import { Counter, Gauge, type Metric } from 'prom-client'

/** Uses the names of the standard Prometheus clients, so that common dashboards find them. */
export function createProcessMetrics(): Metric[] {
  const memory = new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory in use',
    registers: [],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time spent, threads included',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  const start = new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, in seconds since 1970',
    registers: [],
  })
  start.set(Math.round(Date.now() / 1000 - process.uptime()))
  return [memory, cpu, start]
}
