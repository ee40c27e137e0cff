import { describe, expect, test } from 'bun:test'

import { isInsideAddress } from '../../../../src/clients/outside/inside-addresses.ts'

const INSIDE: Record<string, readonly string[]> = {
  'this network and unspecified': ['0.0.0.0', '0.1.2.3', '0.255.255.255', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'shared by a provider': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  metadata: ['169.254.169.254', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', 'c000::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.255',
    '203.0.113.7',
    '2001:db8::1',
    '2001:0db8:ffff::',
    '3fff::1',
    '3fff:fff::1',
  ],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'protocol assignments and former relays': ['192.0.0.1', '192.88.99.1', '2001:1::1', '2001:10::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'unique local': ['fc00::1', 'fd12:3456:789a::1', 'fdff::'],
  'site-local': ['fec0::1'],
  'discard and local translation': ['100::1', '64:ff9b:1::1', '64:ff9b:1::808:808'],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.1.2.3',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::10.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '2002:c0a8:101::',
    '2002:a9fe:a9fe::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:8.8.8.8',
  ],
  'no address at all': ['', 'localhost', '127.1', '0x7f.0.0.1', '0177.0.0.1', '2130706433', '1.2.3', '[::1]'],
}

const OUTSIDE = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '223.255.255.255',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '203.0.112.255',
  '203.0.114.0',
  '168.63.129.17',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2001:200::1',
  '2a00:1450:4001::',
  '2001:db7:ffff::1',
  '2001:db9::',
  '3ffe:ffff::1',
  '3000::',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
]

describe('inside', () => {
  const rows = Object.entries(INSIDE).flatMap(([kind, addresses]) =>
    addresses.map((address) => [kind, address] as const),
  )
  test.each(rows)('%s: %s', (_, address) => {
    expect(isInsideAddress(address)).toBe(true)
  })
})

describe('outside', () => {
  test.each(OUTSIDE)('%s', (address) => {
    expect(isInsideAddress(address)).toBe(false)
  })
})
