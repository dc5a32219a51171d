#!/bin/sh
# Makes the certificates with which PostgreSQL and Redis of compose.yaml encrypt their connections. Once, as root:
#   deploy/tls.sh [FOLDER]
# Nothing else is ever signed, so the authority's key is deleted. They are valid for ten years: to renew them delete the
# folder, run this again, and restart db, redis and the servers.
set -eu
folder=${1:-$(dirname "$0")/tls}
days=3650
if [ -e "$folder/ca.crt" ]; then
	echo "$folder has certificates already." >&2
	exit 1
fi
umask 022
mkdir -p "$folder"
cd "$folder"
key() { (umask 077 && openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"); }
key ca
openssl req -x509 -new -key ca.key -days "$days" -subj "/CN=agency-site inside" -out ca.crt \
	-addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign"
for name in db redis; do
	key "$name"
	printf 'subjectAltName=DNS:%s,DNS:localhost\nextendedKeyUsage=serverAuth\n' "$name" > "$name.ext"
	openssl req -new -key "$name.key" -subj "/CN=$name" -out "$name.csr"
	openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days "$days" -extfile "$name.ext" -out "$name.crt"
	rm "$name.csr" "$name.ext"
done
rm -f ca.key ca.srl
if [ "$(id -u)" = 0 ]; then
	# The accounts of the images of PostgreSQL and Redis.
	chown 999:999 db.key redis.key
else
	echo "Run as root: chown 999:999 $folder/db.key $folder/redis.key" >&2
fi
