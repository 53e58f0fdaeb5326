import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** For localhost and 127.0.0.1, self-signed, valid for a hundred years. Only tests trust it. */
export const TEST_CERT = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUYB00ZAPLtyORxm6qpf/v1p+niM0wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE2NTI0MVoYDzIxMjYxMDI4
MTY1MjQxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARPWPMfBgTCRsIpmHV25pNjXs4J0Vcir6p0E27V1ePhy7VH9AAgybpS
LH4q0D6O+KOcY3fZ/8JPzRP00zA6zmnvo28wbTAdBgNVHQ4EFgQU/UdRS2PIC5WX
cyIkzy1wtpR6Q2QwHwYDVR0jBBgwFoAU/UdRS2PIC5WXcyIkzy1wtpR6Q2QwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgZxDsyPkCzUxeDJWtVORSpU89DM6IClzyNLf2DCHHub8CIDSI
ObH+UujHYAtiOekuvweENr50SGNPwSYWtCp0Pfep
-----END CERTIFICATE-----
`
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsBiBbDTgSNNila7j
uc5X3l2dOHMZp01M6PEEnDOTVeShRANCAARPWPMfBgTCRsIpmHV25pNjXs4J0Vci
r6p0E27V1ePhy7VH9AAgybpSLH4q0D6O+KOcY3fZ/8JPzRP00zA6zmnv
-----END PRIVATE KEY-----
`

/** Makes this test process trust the certificate until the result is disposed. */
export function trustTestCertificate(): Disposable {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, TEST_CERT])
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) }
}
