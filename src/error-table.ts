/** Every API error by name: the number on the wire, the HTTP status and the default message. */
export const ERRORS = {
  // Generic
  invalid_request: [4000, 400, 'The request is not valid.'],
  unauthorized: [4010, 401, 'You are not signed in. Sign in, or send a valid credential.'],
  forbidden: [4030, 403, 'You do not have permission to do this.'],
  scope_missing: [
    4031,
    403,
    'This token lacks a required scope. Authorize the program again with that scope.',
  ],
  wrong_credential_kind: [
    4033,
    403,
    'This kind of key or token cannot use this route. See its documentation for the kind that can.',
  ],
  confirmation_needed: [
    4106,
    403,
    'Confirm that it is you: open confirm_url, sign in there again, then repeat this.',
  ],
  second_factor_needed: [
    4107,
    403,
    'This store asks for a second factor here. Add a passkey or an authenticator app in your account first.',
  ],
  not_found: [4040, 404, 'Not found.'],
  method_not_allowed: [
    4050,
    405,
    'This route does not support this method. The Allow header lists those it does.',
  ],
  taken: [4090, 409, 'This value is already taken. Choose another.'],
  stale: [4120, 412, 'This was changed after you read it. Read it again and repeat the edit.'],
  too_large: [4130, 413, 'The request is too large.'],
  storage_used_up: [
    4131,
    413,
    'The storage of this account is used up. Delete builds you no longer need, or ask an operator for more.',
  ],
  unsupported_media_type: [4150, 415, 'Send the body as application/json.'],
  rate_limited: [4290, 429, 'Too many requests. Try again later.'],
  internal: [
    5000,
    500,
    'Something went wrong on our side. Try again; if it keeps happening, report the request id.',
  ],
  service_down: [5031, 503, 'A service that this request needs is not reachable. Try again later.'],
  storage_full: [
    5071,
    507,
    'The store has too little room for uploads. Try again later; what was sent so far is kept.',
  ],

  // Saves
  save_condition_missing: [
    4000,
    428,
    'Say what this write is based on: If-Match with the revision that was read, or If-None-Match: * for a new slot.',
  ],
  save_conflict: [
    4123,
    412,
    'This save was changed meanwhile. Nothing is lost: what you sent is kept as a revision of its own.',
  ],

  // Downloads
  sign_in_to_download: [4001, 401, 'Sign in to download this file.'],
  buy_to_download: [4023, 402, 'Buy this game to download it.'],
  still_scanning: [4099, 409, 'This file is still being scanned. Try again in a few minutes.'],
  link_not_signed: [5030, 503, 'The download link could not be signed. Try again.'],

  // Listings
  taxonomy_invalid: [4071, 422, 'A taxonomy value is not in the list of allowed values.'],
  similar_title_invalid: [4072, 422, 'A similar title must be another public game.'],
  listing_check_failed: [4225, 422, 'The listing check found errors. Fix them, then publish.'],
  parent_invalid: [4233, 422, 'This listing cannot be the parent.'],
  mod_settings_invalid: [4234, 422, 'The mod settings are not valid.'],
  press_kit_invalid: [4235, 422, 'The press kit is not valid.'],
  store_link_invalid: [4238, 422, 'A store link is not valid.'],
  developer_mode_needed: [4105, 403, 'Developer mode is off. Turn it on in your account first.'],
  no_license_not_confirmed: [4109, 400, 'Anonymous downloads give players no licence. Confirm this first.'],
  anonymous_needs_free: [
    4113,
    409,
    'Anonymous downloads are only possible for a free listing without active editions.',
  ],
  price_needs_anonymous_off: [
    4114,
    409,
    'Anonymous downloads are on. Turn them off before you set a price or add an edition.',
  ],

  // Selling
  not_for_sale: [4116, 409, 'This is not for sale.'],
  already_owned: [4117, 409, 'You have this already. It is in your library.'],
  refund_refused: [4118, 409, 'This order can no longer be refunded here. Ask the developer.'],
  code_invalid: [
    4119,
    404,
    'This code does not work: it is wrong, used, expired or withdrawn. Check it, or ask whoever gave it to you.',
  ],
  payments_failed: [
    5021,
    502,
    'The payment service could not be reached or refused. Nothing was charged: try again in a minute.',
  ],

  // Jams
  jam_closed: [4121, 409, 'The jam is not at the time for this.'],
  rating_refused: [4122, 403, 'You cannot rate this entry.'],
  entry_unfit: [4236, 422, 'This listing does not fit the jam. Add what is missing, then enter it.'],

  // Deploy keys, builds and uploads
  access_token_missing: [4020, 401, 'The X-Access-Token header is missing. Send the deploy key.'],
  secret_key_missing: [4021, 401, 'The X-Secret-Key header is missing. Send the secret of the deploy key.'],
  deploy_key_unknown: [
    4022,
    401,
    'This deploy key does not exist. Check X-Access-Token, or issue a new key.',
  ],
  deploy_key_revoked: [4023, 401, 'This deploy key was revoked. Issue a new one.'],
  deploy_key_invalid: [
    4024,
    401,
    'X-Secret-Key does not belong to this access token, or the key is of another game.',
  ],
  not_a_game: [
    4025,
    401,
    'The request names no game. Send X-App-Id with its uid and X-Build-Id with one of its builds.',
  ],
  pipeline_token_refused: [
    4108,
    401,
    'The token of the pipeline does not fit a trusted publisher of this game. Compare its claims with the Pipelines tab.',
  ],
  registration_invalid: [4026, 400, 'A registration field is missing or too long.'],
  file_missing: [4037, 400, 'The file is missing, or the form could not be read.'],
  build_not_named: [4038, 400, 'The build of this file is not named. Send build_id.'],
  build_not_found: [4039, 404, 'This build does not exist. Register it first.'],
  upload_field_invalid: [4041, 400, 'Checksum, os, arch or channel is not valid, or the file is not a .zip.'],
  upload_too_large: [4043, 413, 'The file is larger than allowed.'],
  chunk_invalid: [4044, 400, 'X-Upload-Session-ID or Content-Range is missing or malformed.'],
  chunk_out_of_place: [4044, 409, 'The chunk does not start where the session ends. Resume at current_size.'],
  upload_session_gone: [4045, 404, 'The upload session does not exist or has expired. Open a new one.'],
  // Never tells the SHA-256 of the bytes: a deploy key could read those of other builds through it, by copying ranges.
  checksum_mismatch: [
    4046,
    400,
    'The SHA-256 of the received bytes is not the checksum you sent. Check that the file did not change meanwhile, then send it again.',
  ],
  chunk_in_progress: [
    4047,
    409,
    'Another chunk of this session is being uploaded. Wait for it, then try again.',
  ],
  upload_base_unusable: [
    4049,
    409,
    'The base file is gone, not clean or not of this game. Send the bytes instead of copying them.',
  ],
  file_record_failed: [4048, 500, 'The file record could not be created. Try again.'],
  email_not_verified: [
    4096,
    403,
    'The owner of this game has not confirmed their e-mail address. Open the link in the mail, then upload again.',
  ],
  symbols_not_stored: [5020, 502, 'The symbol file could not be stored. Try again.'],
  uploads_limited: [4291, 429, 'Too many uploads, chunks or open sessions for this game. Try again later.'],

  // Bug reporter
  bug_cap_reached: [4291, 429, 'The daily limit of bug reports has been reached. Try again tomorrow.'],

  // External store: sign-in
  sign_in_off: [4245, 404, 'External-store sign-in is off for this game. Its developer can turn it on.'],
  ticket_malformed: [4246, 400, 'The ticket is not a hex string.'],
  ticket_refused: [4246, 401, 'The external store refused the ticket. Ask the store for a new one.'],
  not_an_owner: [4247, 403, 'The account does not own the game, or is banned from it.'],
  session_token_invalid: [
    4248,
    401,
    'The token was not signed for this game with its current auth key. Sign in with a new ticket.',
  ],
  session_token_foreign: [
    4248,
    422,
    'The token was not signed for this game with its current auth key. Let the player sign in again.',
  ],
  game_auth_key_invalid: [
    4249,
    401,
    'The game auth key is missing. Send it as a Bearer token in the Authorization header.',
  ],

  // External store: import
  store_input_invalid: [4240, 400, 'An id, key or group is not valid.'],
  store_app_unusable: [4240, 422, 'The external store has no game page for this app.'],
  store_key_not_covering: [
    4241,
    403,
    'The Web API key is not a publisher key for this app. Use one of the group that publishes it.',
  ],
  store_app_linked: [4242, 409, 'This app or listing is already linked otherwise.'],
  store_unreachable: [4243, 502, 'The external store did not respond. Try again later.'],
  store_not_linked: [
    4244,
    404,
    'This listing is not linked to the external store. Import it from there first.',
  ],
} as const satisfies Record<string, readonly [code: number, status: number, message: string]>

export type ErrorName = keyof typeof ERRORS
