/** Our server writes the client's address into this header; a value sent by a client is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-playshelf-client-address'
