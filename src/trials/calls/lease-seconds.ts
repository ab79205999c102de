/** A worker that dies loses its calls after this time; one that lives extends its leases. */
export const LEASE_SECONDS = 60
